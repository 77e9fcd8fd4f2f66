import type { Command } from 'commander';
import { usageFailure } from './failure.ts';

export const JOBS_WORDS: readonly string[] = [
  'job',
  'jobs',
  'job.batch',
  'jobs.batch',
  'furikojob',
  'furikojobs',
  'job.execution.furiko.io',
  'jobs.execution.furiko.io',
];

/**
 * Parses the name of a Job, also in the form that `run` prints: job.batch/frames.
 *
 * @throws Failure when it names another kind
 */
export function jobName(text: string): string {
  const [kind = '', name] = text.split('/');
  if (name === undefined) return text;
  if (!JOBS_WORDS.includes(kind) || name === '') throw usageFailure(`${JSON.stringify(text)} is not the name of a Job`);
  return name;
}

export const CRONJOBS_WORDS: readonly string[] = ['cronjob', 'cronjobs', 'cj', 'cronjob.batch', 'cronjobs.batch'];

/**
 * Parses the name of a CronJob, also as `cronjob.batch/nightly`.
 *
 * @param ofConfig what does the same with a JobConfig: `muster disable NAME stops its schedule`
 * @throws Failure when it names another kind
 */
export function cronJobName(text: string, ofConfig: (name: string) => string): string {
  const [kind = '', name] = text.split('/');
  if (name === undefined) return text;
  if (JOBCONFIGS_WORDS.includes(kind) && name !== '')
    throw usageFailure(`${text} is a JobConfig, not a CronJob: ${ofConfig(name)}`);
  if (!CRONJOBS_WORDS.includes(kind) || name === '')
    throw usageFailure(`${JSON.stringify(text)} is not the name of a CronJob`);
  return name;
}

export const JOBCONFIGS_WORDS: readonly string[] = [
  'jobconfig',
  'jobconfigs',
  'furikojobconfig',
  'furikojobconfigs',
  'jobconfig.execution.furiko.io',
  'jobconfigs.execution.furiko.io',
];

/**
 * Parses the name of a JobConfig, also as `jobconfig/nightly`.
 *
 * @throws Failure when it names another kind
 */
export function jobConfigName(text: string): string {
  const [kind = '', name] = text.split('/');
  if (name === undefined) return text;
  if (!JOBCONFIGS_WORDS.includes(kind) || name === '')
    throw usageFailure(`${JSON.stringify(text)} is not the name of a JobConfig`);
  return name;
}

/** `either`: a name alone. */
export type CronOrConfigName = { readonly kind: 'cron' | 'config' | 'either'; readonly name: string };

/**
 * Parses the name of what has a schedule: `nightly`, `cronjob/nightly`, or `jobconfig/nightly`.
 *
 * @throws Failure when it names another kind
 */
export function cronOrConfigName(text: string): CronOrConfigName {
  const [kind = '', name] = text.split('/');
  if (name === undefined) return { kind: 'either', name: text };
  if (name !== '' && CRONJOBS_WORDS.includes(kind)) return { kind: 'cron', name };
  if (name !== '' && JOBCONFIGS_WORDS.includes(kind)) return { kind: 'config', name };
  throw usageFailure(`${JSON.stringify(text)} is not the name of a CronJob or a JobConfig`);
}

/** Which Jobs of a namespace a command applies to. */
export type JobSelection =
  | { readonly kind: 'named'; readonly names: readonly string[] }
  | { readonly kind: 'selected'; readonly labels: string }
  | { readonly kind: 'all' };

export type SelectionFlags = { readonly selector?: string; readonly all?: true };

/** Adds the ways to select Jobs to a command: names, `-l`, `--all`. */
export const selectsJobs = (command: Command): Command =>
  command
    .argument('[jobs...]', 'the Jobs', [])
    .option('-l, --selector <labels>', 'Jobs with these labels, such as app=x,tier!=test')
    .option('--all', 'all Jobs of the namespace');

/**
 * Reads the options that `selectsJobs` added.
 *
 * @throws Failure unless exactly one way to select Jobs was used
 */
export function selectionOf(jobs: readonly string[], { selector, all }: SelectionFlags): JobSelection {
  const ways = [jobs.length > 0, selector !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1)
    throw usageFailure(ways === 0 ? 'specify Job names, -l, or --all' : 'names, -l, and --all cannot be combined');
  if (all === true) return { kind: 'all' };
  return selector === undefined ? { kind: 'named', names: jobs.map(jobName) } : { kind: 'selected', labels: selector };
}
