import { indexSetOf } from '../../../domain/base/index-set.ts';
import { readAs, type KubeClient } from '../../../../cli/client/kube-client.ts';
import type { OtherJobs } from '../../../../cli/client/other-jobs.ts';
import { ApiFailure } from '../../../../cli/shell/failure.ts';
import type { IndexNames } from '../domain/furiko-job.ts';
import { parseIndexArgument } from '../domain/index-argument.ts';
import { FurikoJobSchema, furikoJobsPath } from './api-objects-of-furiko.ts';

/** Their indexes have names, a key or values of a matrix, and they are killed by a field. */
export const FURIKO_JOBS: OtherJobs = {
  async namedIndex(text, { metadata: { namespace, name } }, client) {
    const job = await furikoJob(namespace, name, client);
    if (job === null) return null;
    const named = parseIndexArgument(text, namesOf(job));
    return named.kind === 'ok'
      ? { kind: 'ok', indexes: indexSetOf([named.index]) }
      : { kind: 'bad', message: named.message };
  },

  async killTime(namespace, name, client) {
    const job = await furikoJob(namespace, name, client);
    if (job === null) return null;
    const set = (at: string) => client.patch(furikoJobsPath(namespace, name), { spec: { killTimestamp: at } });
    return { atMs: job.spec.killTimestamp ?? null, set };
  },
};

/** null: it was made as a Job of batch/v1. */
async function furikoJob(namespace: string, name: string, client: KubeClient) {
  try {
    return readAs(FurikoJobSchema, await client.get(furikoJobsPath(namespace, name)), client.target);
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return null;
    throw error;
  }
}

function namesOf({ spec }: NonNullable<Awaited<ReturnType<typeof furikoJob>>>): IndexNames {
  const { withCount, withKeys, withMatrix } = spec.template.parallelism ?? {};
  return {
    ...(withCount === undefined ? {} : { withCount }),
    ...(withKeys === undefined ? {} : { withKeys }),
    ...(withMatrix === undefined ? {} : { withMatrix }),
  };
}
