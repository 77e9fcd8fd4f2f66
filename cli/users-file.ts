import { resolve } from 'node:path';
import type { UserWithToken } from '../local/users/parse-users.ts';
import { readUsers } from '../local/users/read-users.ts';
import { messageOf } from '../shared/domain/base/error-text.ts';
import { Failure, usageFailure } from './failure.ts';
import type { Shell } from './shell.ts';

/**
 * The users in a file.
 *
 * @throws Failure with a line for each fault
 */
export function usersIn(file: string, { cwd }: Pick<Shell, 'cwd'>): readonly UserWithToken[] {
  const read = tryRead(file, cwd);
  if (read.kind === 'users') return read.users;
  throw new Failure(read.faults.map((fault) => `error: --users ${file}: ${fault}`).join('\n'));
}

function tryRead(file: string, cwd: string): ReturnType<typeof readUsers> {
  try {
    return readUsers(resolve(cwd, file));
  } catch (error) {
    throw usageFailure(`--users: ${messageOf(error)}`);
  }
}

/** The user of that name, who is the first if there are several tokens. */
export function userNamed(name: string, users: readonly UserWithToken[], file: string): UserWithToken {
  const user = users.find(({ username }) => username === name);
  if (user === undefined)
    throw usageFailure(`${file} names no user ${name}, but ${users.map((each) => each.username).join(', ')}`);
  return user;
}
