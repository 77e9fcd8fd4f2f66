import { AUTHENTICATED, MASTERS, type User } from '../../domain/callers/user.ts';
import type { Context } from 'hono';
import { shownUser } from '../../domain/events/shown-user.ts';
import type { Asker } from '../../ports/job-commands.ts';
import type { ApiDeps, ApiOptions } from './api-deps.ts';

/** On a user's own machine, only that user is answered. */
const LOCAL_USER: User = { username: 'local', groups: [MASTERS, AUTHENTICATED] };
/** The caller is authenticated, but not by us. */
const SOMEBODY: User = { username: 'authenticated', groups: [AUTHENTICATED] };

/** Who sent a request, as far as its transport knows. */
export function callerOf({ embedded = false, userOf }: Pick<ApiOptions, 'embedded' | 'userOf'>): (c: Context) => User {
  return userOf ?? (() => (embedded ? LOCAL_USER : SOMEBODY));
}

/** A user's name as Events show it; null: the name is the same for every request, and says nothing. */
export function askerOf(user: User, { authorizer }: Pick<ApiDeps, 'authorizer'>): Asker {
  const isNobody = authorizer === null && (user === LOCAL_USER || user === SOMEBODY);
  return isNobody ? null : shownUser(user.username);
}
