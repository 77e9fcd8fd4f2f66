import * as z from 'zod';
import { NamedSchema } from '../client/api-objects.ts';
import { ApiFailure, EXIT, Failure } from '../shell/failure.ts';
import { explainUnknownFields } from '../shell/field-hints.ts';
import { type Document, documentsOf, resourceOf } from '../flow/documents.ts';
import type { Followed } from '../follow/follow-job.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import { type Manifest, readManifests } from '../shell/manifest-file.ts';
import { reach } from '../client/reach.ts';
import { REPLACEABLE } from '../../shared/capabilities/lists/cli/run-objects.ts';
import { upstreamsOf } from '../../shared/domain/manifests/job-graph.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { listOf, objectText } from '../render/object-text.ts';
import { type CreatedJob, type Replacing, createJob, jobKindOf } from '../create/create-job.ts';
import type { CreateObject } from '../create/create-object.ts';
import type { Output } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';
import { followToVerdict } from './watch.ts';

export type RunFlags = {
  readonly wait: boolean;
  /** null: wait without a timeout */
  readonly timeoutMs: number | null;
  readonly namespace: string | null;
  /** `null`: text for people */
  readonly output: ObjectForm | 'name' | null;
  readonly replacing: Replacing;
  readonly kubeconfig: string | null;
  /** With `wait`: delete Jobs that have succeeded. */
  readonly removes?: boolean;
};

const MadeSchema = z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) });

/** `followed` null: no Job. */
type Created = { readonly followed: Followed | null; readonly object: unknown };

/**
 * `muster run -f FILE`: creates the objects of a file, and, with `wait`, waits for the Jobs among them. `-` is standard input.
 *
 * @returns the exit code; with `wait`, the Jobs' verdict
 */
export const runJobs = async (file: string, flags: RunFlags, shell: Shell): Promise<number> =>
  runManifests(await readManifests(file, shell), flags, shell);

/**
 * Creates Jobs, each after those that it waits for, and what else a file has, before them; and, with `wait`, waits for the Jobs. A
 * refused object does not stop the others from being created, except for Jobs that would wait for a refused one.
 *
 * @param onCreated called when all are there, before anything waits for them; what it throws ends the command
 */
export async function runManifests(
  manifests: readonly [Manifest, ...Manifest[]],
  flags: RunFlags,
  shell: Shell,
  onCreated: () => Promise<void> = async () => undefined,
): Promise<number> {
  const documents = documentsOf(manifests, flags.namespace);
  const client = await reach(flags.kubeconfig, shell);
  await warnOfMissing(documents, client, shell);
  const { created, exitCode } = await createAll(documents, client, flags, shell);
  await onCreated();
  const followed = created.flatMap((each) => each.followed ?? []);
  if (flags.wait && followed.length > 0) {
    const { kubeconfig, timeoutMs, output } = flags;
    const form = output === 'name' ? null : output;
    const verdict = await followToVerdict(followed, client, { kubeconfig, timeoutMs, output: form }, shell);
    if (verdict === EXIT.ok && flags.removes === true)
      await removeAll(followed, client, form === null ? shell.out : shell.err);
    return verdict === 0 ? exitCode : verdict;
  }
  const objects = created.map(({ object }) => object);
  if (flags.output !== null && flags.output !== 'name' && objects.length > 0)
    shell.out.write(objectText(manifests.length === 1 ? objects[0] : listOf(objects), flags.output));
  return exitCode;
}

/** A Job waits for one that does not exist, too: a user who has mistyped the name learns it here. */
async function warnOfMissing(documents: readonly Document[], client: KubeClient, shell: Shell): Promise<void> {
  const key = (namespace: string | null, name: string): string => `${namespace ?? client.target.namespace}/${name}`;
  const known = new Set(
    documents.flatMap(({ kind, namespace, name }) => (kind === 'Job' ? [key(namespace, name)] : [])),
  );
  for (const { namespace, name, dependencies } of documents)
    for (const upstream of upstreamsOf(dependencies)) {
      if (known.has(key(namespace, upstream))) continue;
      known.add(key(namespace, upstream));
      if (await isThere(jobsPath(namespace ?? client.target.namespace, upstream), client)) continue;
      shell.err.write(
        `Warning: job ${name} waits for job ${upstream}, which is neither there nor among those that are created\n`,
      );
    }
}

async function isThere(path: string, client: KubeClient): Promise<boolean> {
  try {
    await client.get(path);
    return true;
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return false;
    throw error;
  }
}

/**
 * Creates objects one by one. One that is refused does not stop the others, except for Jobs that would wait for it in vain. If it
 * is the only one, its refusal ends the command.
 */
async function createAll(documents: readonly Document[], client: KubeClient, flags: RunFlags, shell: Shell) {
  const created: Created[] = [];
  const refused = new Set<string>();
  let exitCode: number = EXIT.ok;
  for (const document of documents) {
    const namespace = document.namespace ?? client.target.namespace;
    const missing = upstreamsOf(document.dependencies).find((name) => refused.has(`${namespace}/${name}`));
    const isJob = document.kind === 'Job';
    try {
      if (missing !== undefined)
        throw new Failure(`job.batch/${document.name} not created: it waits for job ${missing}, which was not created`);
      created.push(await wayOf(document.kind)(document, namespace, client, flags, shell));
    } catch (error) {
      if (!(error instanceof Failure) || documents.length === 1) throw error;
      shell.err.write(`${error.message}\n`);
      exitCode = error.exitCode;
      if (isJob && (missing !== undefined || !(await isThere(jobsPath(namespace, document.name), client))))
        refused.add(`${namespace}/${document.name}`);
    }
  }
  return { created, exitCode };
}

async function removeAll(followed: readonly Followed[], client: KubeClient, output: Output): Promise<void> {
  for (const { namespace, name, uid } of followed) {
    await client.remove(jobsPath(namespace, name), uid);
    output.write(`job.batch "${name}" deleted\n`);
  }
}

type Create = (
  document: Document,
  namespace: string,
  client: KubeClient,
  flags: RunFlags,
  shell: Shell,
) => Promise<Created>;

const makeJob: Create = async ({ manifest }, namespace, client, { output, wait, replacing }, shell) => {
  const made = await createJob(manifest, namespace, replacing, client, shell);
  const { name, uid } = readAs(MadeSchema, made.object, client.target).metadata;
  tell(`job.${jobKindOf(manifest.value).group}/${name}`, made, { output, wait }, shell);
  return { followed: { namespace, name, uid }, object: made.object };
};

const makeReplaceable =
  (create: CreateObject): Create =>
  async ({ manifest, kind }, namespace, client, { output, wait, replacing }, shell) => {
    const made = await create(manifest, namespace, replacing, client);
    tell(`${resourceOf(kind).word}/${made.name}`, made, { output, wait }, shell);
    return { followed: null, object: made.object };
  };

/** Other kinds are created, and never replaced. */
const makeOther: Create = async ({ manifest, kind }, namespace, client, { output, wait }, shell) => {
  const { word, path } = resourceOf(kind);
  try {
    const made = await client.create(path(namespace), manifest.value);
    const { name } = readAs(NamedSchema, made.object, client.target).metadata;
    tell(`${word}/${name}`, { ...made, isReplaced: false }, { output, wait }, shell);
    return { followed: null, object: made.object };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status.reason !== 'AlreadyExists') throw explainUnknownFields(error, manifest);
    throw new Failure(`${error.message}\n\`kubectl apply\` changes it.`);
  }
};

function wayOf(kind: Document['kind']): Create {
  if (kind === 'Job') return makeJob;
  const create = REPLACEABLE[kind];
  return create === undefined ? makeOther : makeReplaceable(create);
}

function tell(
  who: string,
  { warnings, isReplaced }: Pick<CreatedJob, 'warnings' | 'isReplaced'>,
  { output, wait }: Pick<RunFlags, 'output' | 'wait'>,
  shell: Shell,
): void {
  for (const warning of warnings) shell.err.write(`Warning: ${warning}\n`);
  const said = `${who}${output === 'name' ? '' : isReplaced ? ' replaced' : ' created'}\n`;
  // If standard output carries objects, messages go to standard error.
  if (output === null || output === 'name') shell.out.write(said);
  else if (wait) shell.err.write(said);
}
