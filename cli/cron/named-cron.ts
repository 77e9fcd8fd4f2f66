import { type CronJob, CronJobSchema, type JobConfig, JobConfigSchema } from '../client/api-objects.ts';
import { type KubeClient, cronJobsPath, jobConfigsPath, readAs } from '../client/kube-client.ts';
import { ApiFailure, Failure } from '../shell/failure.ts';
import { configRef } from './timed-config.ts';

/**
 * Reads a CronJob.
 *
 * @param ofConfig what does the same with a JobConfig: `muster disable NAME stops its schedule`
 * @throws Failure when there is none: also where a JobConfig has the name, with what is for it
 */
export async function cronNamed(
  name: string,
  namespace: string,
  client: KubeClient,
  ofConfig: (name: string) => string,
): Promise<CronJob> {
  const found = await cronOrConfig(name, namespace, client);
  if (found.kind === 'cron') return found.cron;
  throw new Failure(`error: ${configRef(name)} is a JobConfig, not a CronJob: ${ofConfig(name)}`);
}

export type CronOrConfig =
  | { readonly kind: 'cron'; readonly cron: CronJob }
  | { readonly kind: 'config'; readonly config: JobConfig };

/** Reads the CronJob of a name, or else the JobConfig. Throws the server's answer about the CronJob when there is neither. */
export async function cronOrConfig(name: string, namespace: string, client: KubeClient): Promise<CronOrConfig> {
  try {
    const found = await client.get(cronJobsPath(namespace, name));
    return { kind: 'cron', cron: readAs(CronJobSchema, found, client.target) };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const config = await configOrNull(name, namespace, client);
    if (config === null) throw error;
    return { kind: 'config', config };
  }
}

/** null: there is none, or the user may not see it. */
async function configOrNull(name: string, namespace: string, client: KubeClient): Promise<JobConfig | null> {
  try {
    return await configNamed(name, namespace, client);
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return null;
    throw error;
  }
}

export const configNamed = async (name: string, namespace: string, client: KubeClient): Promise<JobConfig> =>
  readAs(JobConfigSchema, await client.get(jobConfigsPath(namespace, name)), client.target);

const isNotFound = (error: unknown): boolean => error instanceof ApiFailure && error.status.code === 404;
export const isForbidden = (error: unknown): boolean => error instanceof ApiFailure && error.status.code === 403;
