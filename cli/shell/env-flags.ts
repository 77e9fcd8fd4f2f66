import { InvalidArgumentError } from 'commander';
import type { Shell } from './shell.ts';

/** A variable of a Pod template. */
export type EnvFlag = { readonly name: string; readonly value: string };

/**
 * Parses another `--env NAME=VALUE`, or `--env NAME` with its value in the shell, for commander. Everybody on the machine sees
 * command lines, so the second form is for secrets.
 *
 * @throws InvalidArgumentError when there is no name, or no such variable in the shell
 */
export const envFlagIn =
  ({ env }: Pick<Shell, 'env'>) =>
  (text: string, before: readonly EnvFlag[] = []): readonly EnvFlag[] => {
    const at = text.indexOf('=');
    const name = at === -1 ? text : text.slice(0, at);
    if (name === '') throw new InvalidArgumentError('It must be NAME=VALUE, or NAME for its value in this shell.');
    const value = at === -1 ? env[name] : text.slice(at + 1);
    if (value === undefined)
      throw new InvalidArgumentError(`${name} is not set in this shell; specify a value: ${name}=VALUE.`);
    return [...before, { name, value }];
  };
