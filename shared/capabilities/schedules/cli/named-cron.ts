import { TIMED_KINDS } from '../../lists/cli/command-line.ts';
import { API_KINDS, type OwnerKind } from '../../../domain/kinds/api-kinds.ts';
import { type CronJob, CronJobSchema, cronJobsPath } from './api-objects-of-schedules.ts';
import { type KubeClient, pathsOf, readAs } from '../../../../cli/client/kube-client.ts';
import { ApiFailure, Failure } from '../../../../cli/shell/failure.ts';
import type { OwnerName } from '../../../../cli/shell/job-names.ts';
import type { CronAct, TimedKind } from '../../../../cli/client/timed-kind.ts';

/** What an act with CronJobs is for an object of another kind; null: nothing is known. */
export const insteadOf =
  (act: CronAct) =>
  (kind: OwnerKind, name: string): string | null =>
    TIMED_KINDS.find((each) => each.kind === kind)?.instead[act](name) ?? null;

/**
 * Reads a CronJob.
 *
 * @param act what is to be done with it
 * @throws Failure when there is none: also where an object of another kind has the name, with what is for it
 */
export async function cronNamed(name: string, namespace: string, client: KubeClient, act: CronAct): Promise<CronJob> {
  const found = await ownerNamed({ kind: null, name }, namespace, client);
  if (found.timed === null) return found.cron;
  const { refTo, kind, instead } = found.timed;
  throw new Failure(`error: ${refTo(name)} is a ${API_KINDS[kind].kind}, not a CronJob: ${instead[act](name)}`);
}

export type FoundOwner =
  | { readonly timed: null; readonly cron: CronJob }
  /** Of another kind. */
  | { readonly timed: TimedKind; readonly object: unknown };

/**
 * Reads the object of a name: of the kind that is named, or else the CronJob, or else one of another kind that has a schedule.
 * Throws the server's answer about the CronJob when there is none.
 */
export async function ownerNamed(
  { kind, name }: OwnerName,
  namespace: string,
  client: KubeClient,
): Promise<FoundOwner> {
  const only = TIMED_KINDS.find((each) => each.kind === kind);
  if (only !== undefined)
    return { timed: only, object: await client.get(pathsOf(API_KINDS[only.kind])(namespace, name)) };
  try {
    const found = await client.get(cronJobsPath(namespace, name));
    return { timed: null, cron: readAs(CronJobSchema, found, client.target) };
  } catch (error) {
    if (kind !== null || !isNotFound(error)) throw error;
    for (const timed of TIMED_KINDS) {
      const object = await foundOrNull(pathsOf(API_KINDS[timed.kind])(namespace, name), client);
      if (object !== null) return { timed, object };
    }
    throw error;
  }
}

/** null: there is none, or the user may not see it. */
async function foundOrNull(path: string, client: KubeClient): Promise<unknown> {
  try {
    return await client.get(path);
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return null;
    throw error;
  }
}

const isNotFound = (error: unknown): boolean => error instanceof ApiFailure && error.status.code === 404;
export const isForbidden = (error: unknown): boolean => error instanceof ApiFailure && error.status.code === 403;
