import type { User } from '../../domain/callers/user.ts';
import type { Context, MiddlewareHandler } from 'hono';
import type { Attributes } from '../../domain/callers/attributes.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Authorizer, refusalOf } from '../http/authorizer.ts';
import { errorResponse, noSuchPath } from '../http/status-error.ts';
import { RECHECK_MS, createRevocations } from './revocations.ts';
import { requestAttributes } from './request-attributes.ts';

export type GuardDeps = {
  readonly authorizer: Authorizer;
  readonly callerOf: (c: Context) => User;
  readonly clock: Clock;
};

/**
 * Asks about every request before anything is read for it, so a refusal does not tell whether an object exists. Watches and logs
 * end when the right is taken away.
 */
export function authorizationGuard({ authorizer, callerOf, clock }: GuardDeps): MiddlewareHandler {
  const revocations = createRevocations(clock);
  const asked = { authorizer, callerOf };
  return async (c, next) => {
    const { method, path } = c.req;
    const wanted = requestAttributes({ method, path, query: c.req.query() });
    if (wanted.kind === 'nowhere') return errorResponse(noSuchPath());
    if (wanted.kind === 'inBody') return next();
    const { attributes } = wanted;
    const began = clock.now();
    const refusal = await refusalOf(c, attributes, asked);
    if (refusal !== null) return errorResponse(refusal);
    await next();
    if (!isFollowed(attributes)) return;
    const late = clock.now() - began < RECHECK_MS ? null : await refusalOf(c, attributes, asked);
    if (late !== null) {
      await c.res.body?.cancel();
      c.res = errorResponse(late);
      return;
    }
    const user = callerOf(c);
    const mayGoOn = async (): Promise<boolean> => (await authorizer.decide(user, attributes)).allowed;
    c.res = revocations.endWith(c.res, mayGoOn);
  };
}

/** Its answer may go on for a long time. */
const isFollowed = (wanted: Attributes): boolean =>
  wanted.kind === 'resource' && (wanted.verb === 'watch' || wanted.subresource === 'log');
