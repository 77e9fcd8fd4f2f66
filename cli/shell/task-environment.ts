import { InvalidArgumentError } from 'commander';
import type { DriverName } from '../../local/drivers.ts';
import { usageFailure } from './failure.ts';
import { STARTED_AGAIN } from './shell.ts';

/** One `--env`; `value` null: its value in the shell. */
export type EnvironmentEntry = { readonly name: string; readonly value: string | null };

/** Which variables of a shell's environment a runtime passes to its tasks. */
export type EnvironmentOptions = { readonly entries: readonly EnvironmentEntry[]; readonly inherit: boolean };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a program needs to know where it runs and for which user, and to find the programs and packages of an activated
 * Python environment. None of these is a secret.
 */
const USUAL = ['HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'PATH', 'VIRTUAL_ENV'];
const isUsual = (name: string): boolean => USUAL.includes(name) || /^LC_[A-Z_]+$/.test(name);

/** Variables that describe the process itself and would be wrong in any other, and variables that Muster sets. */
const isOfOneProcess = (name: string): boolean =>
  ['PWD', 'OLDPWD', 'SHLVL', '_', 'JOB_COMPLETION_INDEX', STARTED_AGAIN].includes(name) || name.startsWith('MUSTER_');

/** Parses another `--env NAME` or `--env NAME=VALUE` for commander. */
export function environmentEntry(text: string, before: readonly EnvironmentEntry[]): readonly EnvironmentEntry[] {
  const at = text.indexOf('=');
  const entry = at === -1 ? { name: text, value: null } : { name: text.slice(0, at), value: text.slice(at + 1) };
  if (!isIdentifier(entry.name)) throw new InvalidArgumentError('It must be NAME or NAME=VALUE.');
  if (entry.name.startsWith('MUSTER_')) throw new InvalidArgumentError('Names that begin with MUSTER_ are reserved.');
  return [...before, entry];
}

const isIdentifier = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

/**
 * The variables that tasks get from the shell of `muster local`, in addition to their own. A container gets those only that were
 * asked for: its image has a PATH and a home of its own.
 *
 * @throws Failure when a requested variable is not set
 */
export function taskEnvironmentOf(
  { entries, inherit }: EnvironmentOptions,
  env: Environment,
  driver: DriverName = 'process',
): Record<string, string> {
  const taken = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined &&
    isIdentifier(name) &&
    !isOfOneProcess(name) &&
    (inherit || (driver !== 'docker' && isUsual(name)))
      ? [[name, value] as const]
      : [],
  );
  const asked = entries.map(({ name, value }) => {
    const given = value ?? env[name];
    if (given === undefined)
      throw usageFailure(`--env ${name}: it is not set here; specify a value: --env ${name}=VALUE`);
    return [name, given] as const;
  });
  return Object.fromEntries([...taken, ...asked]);
}

/** The same, as names for people. */
export function sayEnvironment(wanted: EnvironmentOptions, env: Environment, driver: DriverName): string {
  if (wanted.inherit) return 'all variables of this shell';
  const names = Object.keys(taskEnvironmentOf(wanted, env, driver)).toSorted();
  if (names.length === 0) return 'no variables of this shell (some with --env NAME)';
  return `${names.join(', ')} of this shell (more with --env NAME)`;
}
