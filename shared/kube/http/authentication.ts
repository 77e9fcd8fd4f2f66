import { type User, ANONYMOUS } from '../../domain/callers/user.ts';
import type { Context, MiddlewareHandler } from 'hono';
import { type StatusError, errorResponse } from './status-error.ts';

export type Authenticated = { readonly kind: 'user'; readonly user: User } | { readonly kind: 'refused' };

/** A request whose sender is not known is answered with 401, whatever it asks for. */
export const authentication =
  (authenticate: (c: Context) => Promise<Authenticated>): MiddlewareHandler =>
  async (c, next) => {
    const authenticated = await authenticate(c);
    if (authenticated.kind === 'refused') return errorResponse(UNAUTHORIZED);
    c.set(USER, authenticated.user);
    return next();
  };

/** Who sent a request that {@link authentication} has let through. */
export function authenticatedUser(c: Context): User {
  const user: unknown = c.get(USER);
  return isUser(user) ? user : ANONYMOUS;
}

const USER = 'user';
const isUser = (value: unknown): value is User => typeof value === 'object' && value !== null && 'username' in value;

/** In the words of Kubernetes, which do not say what is wrong with a token. */
const UNAUTHORIZED: StatusError = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
};
