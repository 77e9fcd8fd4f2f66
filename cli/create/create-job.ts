import { verdictOf } from '../client/job-end.ts';
import * as z from 'zod';
import { type Job, JobSchema } from '../client/api-objects.ts';
import { awaitGone } from '../client/await-gone.ts';
import { ApiFailure, EXIT, Failure } from '../shell/failure.ts';
import { explainUnknownFields } from '../shell/field-hints.ts';
import { type KubeClient, jobsPath, pathsOf, readAs } from '../client/kube-client.ts';
import type { Manifest } from '../shell/manifest-file.ts';
import { type ApiKind, apiVersionOf } from '../../shared/domain/kinds/api-kind.ts';
import { API_KINDS, JOB_KINDS } from '../../shared/domain/kinds/api-kinds.ts';
import { formatDuration } from '../text/age.ts';
import type { Shell } from '../shell/shell.ts';

/** What happens to an existing Job of the same name: it stays, it is deleted if it is over, or it is always deleted. */
export type Replacing = 'never' | 'finished' | 'any';

export type CreatedJob = {
  readonly object: unknown;
  readonly warnings: readonly string[];
  readonly isReplaced: boolean;
};

/** Which of the kinds that are Jobs a manifest is: that of its apiVersion, or else that of batch, where the server refuses it. */
export function jobKindOf(manifest: unknown): ApiKind {
  const read = z.object({ apiVersion: z.string() }).safeParse(manifest);
  return JOB_KINDS.find((kind) => apiVersionOf(kind) === read.data?.apiVersion) ?? API_KINDS.Job;
}

const Named = z.object({ metadata: z.object({ name: z.string() }) });

/** A Job held by a finalizer may stay forever. */
const GONE_MS_MAX = 60_000;

/**
 * Creates a Job. If the caller wants it, first deletes an existing Job of the same name, but only after the server has
 * validated the new one.
 *
 * @throws ApiFailure when the server refuses it; Failure that says what to do when the name is taken
 */
export async function createJob(
  manifest: Manifest,
  namespace: string,
  replacing: Replacing,
  client: KubeClient,
  shell: Pick<Shell, 'onInterrupt'>,
): Promise<CreatedJob> {
  const path = pathsOf(jobKindOf(manifest.value))(namespace);
  const create = async () => client.create(path, manifest.value);
  try {
    return { ...(await create()), isReplaced: false };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status.reason !== 'AlreadyExists') throw explainUnknownFields(error, manifest);
    const named = Named.safeParse(manifest.value);
    if (!named.success) throw error;
    const taken = jobsPath(namespace, named.data.metadata.name);
    const standing = readAs(JobSchema, await client.get(taken), client.target);
    const isGoing = standing.metadata.deletionTimestamp !== undefined;
    if (replacing === 'never' || (replacing === 'finished' && verdictOf(standing) === null && !isGoing))
      throw new Failure(`${error.message}\n${wayOut(standing, replacing)}`);
    await removeWhole(standing, taken, client, shell);
    return { ...(await create()), isReplaced: true };
  }
}

function wayOut(job: Job, replacing: Replacing): string {
  const { name, namespace } = job.metadata;
  if (job.metadata.deletionTimestamp !== undefined)
    return 'It will be gone when its tasks have stopped: `muster run --replace` waits for that.';
  const verdict = verdictOf(job);
  if (verdict !== null) return `It is over (${verdict}): \`muster run --replace\` deletes it first.`;
  const { succeeded } = job.status;
  const total = job.spec.completions === undefined ? '' : `/${job.spec.completions}`;
  const inNamespace = namespace === 'default' ? '' : ` -n ${namespace}`;
  return (
    `It is not over (${succeeded}${total} succeeded): \`muster watch ${name}${inNamespace}\` shows it; ` +
    `${replacing === 'never' ? '`muster run --replace --force`' : '--force'} stops and deletes it first.`
  );
}

async function removeWhole(
  { metadata: { name, uid } }: Job,
  path: string,
  client: KubeClient,
  shell: Pick<Shell, 'onInterrupt'>,
): Promise<void> {
  await client.remove(path, uid);
  const stop = new AbortController();
  let isInterrupted = false;
  const forgetInterrupts = shell.onInterrupt(() => {
    isInterrupted = true;
    stop.abort();
  });
  const timeout = setTimeout(() => stop.abort(), GONE_MS_MAX);
  try {
    if (await awaitGone(path, uid, client, stop.signal)) return;
  } finally {
    clearTimeout(timeout);
    forgetInterrupts();
  }
  if (isInterrupted) throw new Failure(`job.batch/${name} is being deleted; nothing was created`, EXIT.interrupted);
  throw new Failure(
    `error: job.batch/${name} is deleted, but still there after ${formatDuration(GONE_MS_MAX)}: a finalizer holds it; ` +
      `\`muster get ${name} -o yaml\` names it`,
    EXIT.timedOut,
  );
}
