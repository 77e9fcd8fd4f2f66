import { FailuresSchema, type Job, JobSchema, PodSchema, WaitsSchema, conditionOf } from '../client/api-objects.ts';
import { ApiFailure, Failure } from '../shell/failure.ts';
import { type KubeClient, failuresPath, jobsPath, podsPath, readAs, waitsPath } from '../client/kube-client.ts';
import { endedAttempts } from '../logs/ended-attempts.ts';
import { attemptOf, hasFailed, podSelector } from '../client/pod-attempt.ts';
import { recordedPod } from '../logs/recorded-pods.ts';
import { reach } from '../client/reach.ts';
import { failureTable } from '../render/failures.ts';
import { jobTable, podTable } from '../render/listing.ts';
import { listOf, objectText } from '../render/object-text.ts';
import { waitTable } from '../render/waits.ts';
import type { Shell } from '../shell/shell.ts';

export type GetFlags = {
  readonly namespace: string | null;
  readonly allNamespaces: boolean;
  readonly output: OutputForm;
  /** null: no label filter */
  readonly selector: string | null;
  readonly kubeconfig: string | null;
};

export const OUTPUT_FORMS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

export type Wanted =
  /** no names: all Jobs */
  | { readonly kind: 'jobs'; readonly names: readonly string[] }
  /** `job` null: Pods of all Jobs; `failed`: only failed Pods */
  | { readonly kind: 'pods'; readonly job: string | null; readonly failed: boolean }
  /** why the Job's remaining work does not run */
  | { readonly kind: 'waits'; readonly job: string };

/** `muster get`: Jobs, the Pods of Jobs, or why a Job waits. */
export async function get(wanted: Wanted, flags: GetFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const { target } = client;
  const namespace = flags.allNamespaces ? null : (flags.namespace ?? target.namespace);
  if (wanted.kind === 'waits') return getWaits(wanted.job, namespace ?? target.namespace, flags, client, shell);
  if (wanted.kind === 'jobs' && wanted.names.length > 0)
    return getNamed(wanted.names, namespace ?? target.namespace, flags, client, shell);
  const items =
    wanted.kind === 'jobs'
      ? (await client.list(jobsPath(namespace), { labelSelector: flags.selector ?? undefined })).items
      : await podsOf(wanted, namespace, flags, client);
  if (items.length === 0 && isTable(flags))
    shell.err.write(namespace === null ? 'No resources found\n' : `No resources found in ${namespace} namespace.\n`);
  else shell.out.write(print(wanted.kind, items, 'list', flags, client, shell.now()));
  if (wanted.kind === 'pods' && wanted.job !== null && isTable(flags)) {
    const table = await failuresOf(wanted.job, namespace ?? target.namespace, client);
    if (table !== '') shell.out.write(`\n${table}`);
  }
  return 0;
}

async function getNamed(
  names: readonly string[],
  namespace: string,
  flags: GetFlags,
  client: KubeClient,
  shell: Shell,
) {
  const found: unknown[] = [];
  let exitCode = 0;
  for (const name of names) {
    try {
      found.push(await client.get(jobsPath(namespace, name)));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      shell.err.write(`${error.message}\n`);
      exitCode = error.exitCode;
    }
  }
  const form = names.length === 1 ? 'single' : 'list';
  if (found.length > 0) shell.out.write(print('jobs', found, form, flags, client, shell.now()));
  const [only] = names;
  if (form === 'single' && only !== undefined && exitCode === 0 && isTable(flags)) {
    const isComplete = found.some(
      (job) => conditionOf(readAs(JobSchema, job, client.target), 'Complete') !== undefined,
    );
    const failures = isComplete ? '' : await failuresOf(only, namespace, client);
    for (const table of [await waitsOf(only, namespace, client), failures])
      if (table !== '') shell.out.write(`\n${table}`);
  }
  return exitCode;
}

const isTable = ({ output }: Pick<GetFlags, 'output'>): boolean => output === 'table' || output === 'wide';

/** The table of waits of a Job that was just read. Empty if nothing waits, or if this server cannot say. */
async function waitsOf(job: string, namespace: string, client: KubeClient): Promise<string> {
  try {
    return waitTable(readAs(WaitsSchema, await client.get(waitsPath(namespace, job)), client.target));
  } catch (error) {
    if (error instanceof ApiFailure) return '';
    throw error;
  }
}

/** The same table for failures. */
async function failuresOf(job: string, namespace: string, client: KubeClient): Promise<string> {
  try {
    return failureTable(readAs(FailuresSchema, await client.get(failuresPath(namespace, job)), client.target));
  } catch (error) {
    if (error instanceof ApiFailure) return '';
    throw error;
  }
}

async function getWaits(job: string, namespace: string, flags: GetFlags, client: KubeClient, shell: Shell) {
  const object = await client.get(waitsPath(namespace, job));
  switch (flags.output) {
    case 'json':
    case 'yaml':
      shell.out.write(objectText(object, flags.output));
      return 0;
    case 'name':
      shell.out.write(`job.batch/${job}\n`);
      return 0;
    case 'table':
    case 'wide': {
      const table = waitTable(readAs(WaitsSchema, object, client.target));
      if (table === '') shell.err.write(`Nothing in job.batch/${job} is waiting.\n`);
      else shell.out.write(table);
      return 0;
    }
  }
}

async function podsOf(
  { job, failed }: Extract<Wanted, { kind: 'pods' }>,
  namespace: string | null,
  { selector, ...flags }: GetFlags,
  client: KubeClient,
): Promise<readonly unknown[]> {
  const listed = async (labelSelector: string | undefined): Promise<readonly unknown[]> => {
    const { items } = await client.list(podsPath(namespace), { labelSelector });
    return failed ? items.filter((item) => hasFailed(readAs(PodSchema, item, client.target))) : items;
  };
  if (job === null) return listed(selector ?? undefined);
  // The Job is read first: a missing Job is an error, and a Job without Pods is not.
  if (namespace === null) throw new Failure('error: the Pods of one Job are in one namespace: use -n instead of -A', 2);
  const found = readAs(JobSchema, await client.get(jobsPath(namespace, job)), client.target);
  const items = await listed([podSelector(found, null), ...(selector === null ? [] : [selector])].join(','));
  // A table also has those that are gone; nothing else can be done with them.
  if (!failed || selector !== null || !isTable(flags)) return items;
  const indexOf = (item: unknown): number => attemptOf(readAs(PodSchema, item, client.target))?.index ?? 0;
  return [...items, ...(await goneOf(found, items, client))].sort((a, b) => indexOf(a) - indexOf(b));
}

/** What is left of failed Pods that the server no longer lists. */
async function goneOf(job: Job, listed: readonly unknown[], client: KubeClient): Promise<readonly unknown[]> {
  const names = new Set(listed.map((item) => readAs(PodSchema, item, client.target).metadata.name));
  const gone: unknown[] = [];
  for await (const page of endedAttempts(job.metadata, 'failed', client))
    for (const ended of page) if (!names.has(ended.pod)) gone.push(recordedPod(job, ended));
  return gone;
}

function print(
  kind: 'jobs' | 'pods',
  items: readonly unknown[],
  form: 'single' | 'list',
  flags: GetFlags,
  { target }: KubeClient,
  nowMs: number,
): string {
  const object = form === 'single' ? items[0] : listOf(items);
  const jobs = () => items.map((item) => readAs(JobSchema, item, target));
  const pods = () => items.map((item) => readAs(PodSchema, item, target));
  const options = { wide: flags.output === 'wide', namespaces: flags.allNamespaces, nowMs };
  switch (flags.output) {
    case 'json':
    case 'yaml':
      return objectText(object, flags.output);
    case 'name':
      return kind === 'jobs'
        ? jobs()
            .map(({ metadata }) => `job.batch/${metadata.name}\n`)
            .join('')
        : pods()
            .map(({ metadata }) => `pod/${metadata.name}\n`)
            .join('');
    case 'table':
    case 'wide':
      return kind === 'jobs' ? jobTable(jobs(), options) : podTable(pods(), options);
  }
}
