import * as z from 'zod';
import { JobSchema } from '../client/api-objects.ts';
import { EXIT, Failure, usageFailure } from '../failure.ts';
import type { Followed } from '../follow/follow-job.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import { type Manifest, readManifests } from '../manifest-file.ts';
import { reach } from '../client/reach.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { listOf, objectText } from '../render/object-text.ts';
import { type CreatedJob, type Replacing, createJob } from '../create-job.ts';
import { createWorkList } from '../create-work-list.ts';
import type { Output, Shell } from '../shell.ts';
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

/** What the command reads from a manifest before the server validates it. */
const Wished = z.object({
  kind: z.string().optional(),
  metadata: z.object({ namespace: z.string().optional() }).optional(),
});

/** `followed` null: a WorkList. */
type Created = { readonly followed: Followed | null; readonly object: unknown };

/**
 * `muster run -f FILE`: creates the Jobs in a file, and the WorkLists beside them, and, with `wait`, waits for them. `-` is standard input.
 *
 * @returns the exit code; with `wait`, the Jobs' verdict
 */
export const runJobs = async (file: string, flags: RunFlags, shell: Shell): Promise<number> =>
  runManifests(await readManifests(file, shell), flags, shell);

/**
 * Creates Jobs, with the WorkLists beside them, and, with `wait`, waits for them. A refused Job does not stop the others from being
 * created.
 *
 * @param onCreated called when all are there, before anything waits for them; what it throws ends the command
 */
export async function runManifests(
  manifests: readonly [Manifest, ...Manifest[]],
  flags: RunFlags,
  shell: Shell,
  onCreated: () => Promise<void> = async () => undefined,
): Promise<number> {
  const namespaces = manifests.map((manifest) => namespaceOf(manifest.value, flags.namespace));
  if (manifests.length > 1) manifests.forEach(refuseOtherKinds);
  const client = await reach(flags.kubeconfig, shell);
  const created: Created[] = [];
  let exitCode = 0;
  // A Job may name a list that comes after it.
  const ordered = [...manifests.entries()].sort(([, a], [, b]) => Number(isList(b)) - Number(isList(a)));
  for (const [i, manifest] of ordered) {
    try {
      const namespace = namespaces[i] ?? client.target.namespace;
      const make = isList(manifest) ? createList : createOne;
      created.push(await make(manifest, namespace, client, flags, shell));
    } catch (error) {
      if (!(error instanceof Failure) || manifests.length === 1) throw error;
      shell.err.write(`${error.message}\n`);
      exitCode = error.exitCode;
    }
  }
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

async function removeAll(followed: readonly Followed[], client: KubeClient, output: Output): Promise<void> {
  for (const { namespace, name, uid } of followed) {
    await client.remove(jobsPath(namespace, name), uid);
    output.write(`job.batch "${name}" deleted\n`);
  }
}

async function createOne(
  manifest: Manifest,
  namespace: string,
  client: KubeClient,
  { output, wait, replacing }: RunFlags,
  shell: Shell,
): Promise<Created> {
  const made = await createJob(manifest, namespace, replacing, client, shell);
  const { name, uid } = readAs(JobSchema, made.object, client.target).metadata;
  tell(`job.batch/${name}`, made, { output, wait }, shell);
  return { followed: { namespace, name, uid }, object: made.object };
}

async function createList(
  manifest: Manifest,
  namespace: string,
  client: KubeClient,
  { output, wait, replacing }: RunFlags,
  shell: Shell,
): Promise<Created> {
  const made = await createWorkList(manifest, namespace, replacing, client);
  tell(`worklist.muster.run/${made.name}`, made, { output, wait }, shell);
  return { followed: null, object: made.object };
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

/** As in kubectl: a namespace given on the command line must match the manifest's, if the manifest names one. */
function namespaceOf(manifest: unknown, asked: string | null): string | null {
  const wished = Wished.safeParse(manifest).data?.metadata?.namespace ?? null;
  if (asked !== null && wished !== null && asked !== wished)
    throw usageFailure(`the manifest is for namespace ${JSON.stringify(wished)}, not ${JSON.stringify(asked)}`);
  return asked ?? wished;
}

const isList = ({ value }: Manifest): boolean => Wished.safeParse(value).data?.kind === 'WorkList';

/** Rejects a file with other kinds before it creates the first object. */
function refuseOtherKinds({ value, lineOf }: Manifest): void {
  const kind = Wished.safeParse(value).data?.kind ?? 'document without a kind';
  const line = lineOf('kind');
  if (kind !== 'Job' && kind !== 'WorkList')
    throw usageFailure(
      `${line === null ? '' : `line ${line}: `}a ${kind}; run takes Jobs and WorkLists (kubectl apply -f takes others, too)`,
    );
}
