import { asEpochMs, asTime } from '../../../domain/base/time.ts';
import { type ConcurrencyPolicy, FURIKO_API_VERSION } from '../domain/furiko-job.ts';
import { JobConfigSchema } from '../client/api-objects-of-furiko.ts';
import { type KubeClient, readAs } from '../../../../cli/client/kube-client.ts';
import { jobConfigsPath } from '../client/api-objects-of-furiko.ts';
import { reach } from '../../../../cli/client/reach.ts';
import { askOptions } from './ask-options.ts';
import { answersIn } from './option-answers.ts';
import { ApiFailure, Failure, usageFailure } from '../../../../cli/shell/failure.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { type RunFlags, runManifests } from '../../../../cli/commands/run.ts';

export type RunConfigFlags = Omit<RunFlags, 'replacing' | 'removes'> & {
  /** Of the new Job; null: the server makes one. */
  readonly name: string | null;
  /** A prefix for the server's name; null: the JobConfig's name. */
  readonly generateName: string | null;
  /** `name=value` or a JSON object, each. */
  readonly optionTexts: readonly string[];
  /** Nothing is asked, also at a terminal. */
  readonly asks: boolean;
  readonly concurrencyPolicy: ConcurrencyPolicy | null;
  /** It does not start before this moment; null: at once, or when it is its turn. */
  readonly startAtMs: number | null;
};

/**
 * `muster run JOBCONFIG`: a Job of a JobConfig, with options that are given or asked for.
 *
 * @returns the exit code; with `wait`, the Job's verdict
 */
export async function runConfig(config: string, flags: RunConfigFlags, shell: Shell): Promise<number> {
  const { startAtMs, name, generateName, optionTexts, asks, ...rest } = flags;
  if (startAtMs !== null && startAtMs <= shell.now()) throw usageFailure('--at names a moment that has passed');
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const { spec } = readAs(JobConfigSchema, await configNamed(config, namespace, client), client.target);
  const { options } = spec.option;
  const given = answersIn(optionTexts, options);
  const answers = asks && shell.prompter !== null ? await askOptions(options, given, shell.prompter) : given;
  // As in Furiko, a Job for later waits its turn then.
  const policy = flags.concurrencyPolicy ?? (startAtMs === null ? null : 'Enqueue');
  const startPolicy = {
    ...(policy === null ? {} : { concurrencyPolicy: policy }),
    ...(startAtMs === null ? {} : { startAfter: asTime(asEpochMs(startAtMs)) }),
  };
  const job = {
    apiVersion: FURIKO_API_VERSION,
    kind: 'Job',
    metadata: name === null ? { generateName: generateName ?? `${config}-`, namespace } : { name, namespace },
    spec: {
      configName: config,
      ...(Object.keys(answers).length === 0 ? {} : { optionValues: JSON.stringify(answers) }),
      ...(Object.keys(startPolicy).length === 0 ? {} : { startPolicy }),
    },
  };
  return runManifests([{ value: job, lineOf: () => null }], { ...rest, replacing: 'never' }, shell);
}

async function configNamed(name: string, namespace: string, client: KubeClient): Promise<unknown> {
  try {
    return await client.get(jobConfigsPath(namespace, name));
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status.code !== 404) throw error;
    throw new Failure(`${error.message}\nA Job that runs a command needs --image, and the command after --.`);
  }
}
