import { type UserWithToken, parseUsers } from '../../local/users/parse-users.ts';
import { Failure, usageFailure } from './failure.ts';
import { secretIn } from './secret-file.ts';
import type { Shell } from './shell.ts';

/**
 * The users in a file. Its readers can act as any of them.
 *
 * @throws Failure with a line for each fault
 */
export function usersIn(file: string, shell: Pick<Shell, 'cwd'>): readonly UserWithToken[] {
  const parsed = parseUsers(secretIn('--users', file, shell));
  if (parsed.kind === 'users') return parsed.users;
  throw new Failure(parsed.faults.map((fault) => `error: --users ${file}: ${fault}`).join('\n'));
}

/** The user of that name, who is the first if there are several tokens. */
export function userNamed(name: string, users: readonly UserWithToken[], file: string): UserWithToken {
  const user = users.find(({ username }) => username === name);
  if (user === undefined)
    throw usageFailure(`${file} names no user ${name}, but ${users.map((each) => each.username).join(', ')}`);
  return user;
}
