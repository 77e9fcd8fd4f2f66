import type { Context } from 'hono';
import * as z from 'zod';
import type { Origin } from '../kube/http/request-notes.ts';

const Event = z.object({
  requestContext: z.object({
    requestId: z.string().optional(),
    identity: z.object({ sourceIp: z.string() }).optional(),
  }),
});

/**
 * Where a request comes from, by the event of a Lambda proxy integration (API Gateway Developer Guide, "Input format of a Lambda
 * function for proxy integration"). Its `requestId` is the one of the access log. Nothing, where no gateway is.
 */
export function originOfGateway({ env }: Context<{ Bindings: { readonly event?: unknown } }>): Origin {
  const read = Event.safeParse(env?.event);
  if (!read.success) return {};
  const { requestId, identity } = read.data.requestContext;
  return { requestId, ...(identity === undefined ? {} : { sourceIPs: [identity.sourceIp] }) };
}
