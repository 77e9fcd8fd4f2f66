import { onTestFinished } from 'vitest';
import { type GatewayWish, startGateway } from './signing-gateway.ts';

export { KEYS, REGION, type GatewayWish, type Received } from './signing-gateway.ts';

/** A gateway that checks signatures, for as long as the test lasts. */
export async function aGateway(wish: GatewayWish) {
  const gateway = await startGateway(wish);
  onTestFinished(() => gateway.close());
  return gateway;
}
