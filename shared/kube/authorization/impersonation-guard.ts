import type { User } from '../../domain/callers/user.ts';
import { forbiddenText } from '../../domain/callers/decision.ts';
import type { Context, MiddlewareHandler } from 'hono';
import { impersonated } from '../../domain/callers/impersonation.ts';
import { noteDecision } from '../http/authorizer.ts';
import { errorResponse, notAuthorized } from '../http/status-error.ts';

const REASON = 'Muster has no impersonation, not even for system:masters; send the credentials of that user';

/**
 * Refuses every request that wants to act as somebody else, as Kubernetes refuses a user without the right. To ignore its headers
 * would carry it out with the rights of its sender.
 *
 * @param callerOf says who has sent a request
 */
export function impersonationGuard(callerOf: (c: Context) => User): MiddlewareHandler {
  return async (c, next) => {
    const wanted = impersonated([...c.req.raw.headers]);
    if (wanted === null) return next();
    noteDecision(c, { allowed: false, reason: REASON });
    return errorResponse(notAuthorized(wanted, `${forbiddenText(callerOf(c), wanted)}: ${REASON}`));
  };
}
