import { networkInterfaces } from 'node:os';
import * as z from 'zod';
import { type Engine, EngineError } from './engine.ts';
import { installationOf } from './installation.ts';
import { LABELS, networkName } from './names.ts';

const NetworkSchema = z.looseObject({
  IPAM: z.looseObject({ Config: z.array(z.looseObject({ Subnet: z.string().optional() })).nullish() }),
});

/**
 * The network of an installation's tasks: made when it is needed first, with a range of addresses of its own, because only then
 * may a container ask for one. Returns the first two numbers of the range.
 *
 * Throws {@link EngineError}.
 */
export async function provideNetwork(engine: Engine, installation: string): Promise<string> {
  const name = networkName(installation);
  const before = await prefixOf(engine, name);
  if (before !== null) return before;
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  let refused: unknown = null;
  for (const prefix of PREFIXES) {
    if (own.some((address) => address.startsWith(`${prefix}.`))) continue;
    try {
      await engine.ask({
        method: 'POST',
        path: '/networks/create',
        body: {
          Name: name,
          CheckDuplicate: true,
          Driver: 'bridge',
          IPAM: { Config: [{ Subnet: `${prefix}.0.0/16` }] },
          Labels: { [LABELS.installation]: installation },
        },
      });
      return prefix;
    } catch (error) {
      // another network of this machine has some of these addresses
      if (!(error instanceof EngineError) || error.status === null) throw error;
      refused = error;
    }
  }
  throw refused;
}

/** The address at which an installation's tasks reach this machine. Throws {@link EngineError}. */
export const gatewayOf = async (engine: Engine, dataDir: string): Promise<string> =>
  `${await provideNetwork(engine, installationOf(dataDir))}.0.1`;

async function prefixOf(engine: Engine, name: string): Promise<string | null> {
  try {
    const { IPAM } = NetworkSchema.parse(await engine.ask({ method: 'GET', path: `/networks/${name}` }));
    return /^(\d+\.\d+)\.0\.0\/16$/.exec(IPAM.Config?.[0]?.Subnet ?? '')?.[1] ?? null;
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return null;
    throw error;
  }
}

/** Ranges that few networks use; engines take theirs from 172.17 on, and from 192.168. */
const PREFIXES = Array.from({ length: 48 }, (_, n) => `10.${201 + n}`);
