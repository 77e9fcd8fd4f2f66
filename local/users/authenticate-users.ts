import type { User } from '../../shared/domain/callers/user.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import { bearerOf } from '../../shared/domain/token/bearer.ts';
import type { Authenticate, ReadTokenUser } from '../../shared/kube/http/api-deps.ts';
import type { UserWithToken } from './parse-users.ts';

/**
 * Knows users by their tokens. A token comes as `Bearer`, or as the password of `Basic`, with any name: kubectl sends no other
 * credentials over plain http. Compares hashes, all of them, so that the time tells nothing.
 *
 * @param others asked in turn about a token that is none of these users'
 */
export function authenticateUsers(
  users: readonly UserWithToken[],
  others: readonly ReadTokenUser[] = [],
): Authenticate {
  const known = users.map(({ token, ...user }): { readonly hash: Buffer; readonly user: User } => ({
    hash: hashOf(token),
    user,
  }));
  return async (c, deps) => {
    const header = c.req.header('authorization') ?? signedInAs(c.env);
    const token = bearerOf(header) ?? passwordOf(header);
    if (token === null) return { kind: 'refused' };
    const hash = hashOf(token);
    const [found] = known.filter((each) => timingSafeEqual(each.hash, hash));
    if (found !== undefined) return { kind: 'user', user: found.user };
    for (const read of others) {
      const user = await read(token, deps);
      if (user !== null) return { kind: 'user', user };
    }
    return { kind: 'refused' };
  };
}

/** What a page of this process knows of who is signed in there. */
function signedInAs(env: unknown): string | undefined {
  const known: unknown = typeof env === 'object' && env !== null ? Reflect.get(env, 'credentials') : undefined;
  return typeof known === 'string' ? known : undefined;
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** RFC 7617. */
function passwordOf(header: string | undefined): string | null {
  const [, encoded] = /^ *basic +([\w+/=-]+) *$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return null;
  const [, password = null] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return password;
}
