import type { Context } from 'hono';
import { AUTHENTICATED, MASTERS, type User } from '../../domain/rbac/policy.ts';
import type { ApiOptions } from './api-deps.ts';

/** On a user's own machine, only that user is answered. */
const LOCAL_USER: User = { username: 'local', groups: [MASTERS, AUTHENTICATED] };
/** The caller is authenticated, but not by us. */
const SOMEBODY: User = { username: 'authenticated', groups: [AUTHENTICATED] };

/** Who sent a request, as far as its transport knows. */
export function callerOf({ embedded = false, userOf }: Pick<ApiOptions, 'embedded' | 'userOf'>): (c: Context) => User {
  return userOf ?? (() => (embedded ? LOCAL_USER : SOMEBODY));
}
