import * as z from 'zod';
import { JobSchema } from '../client/api-objects.ts';
import { Failure, usageFailure } from '../failure.ts';
import type { Followed } from '../follow/follow-job.ts';
import { type KubeClient, readAs } from '../client/kube-client.ts';
import { type Manifest, readManifests } from '../manifest-file.ts';
import { reach } from '../client/reach.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { listOf, objectText } from '../render/object-text.ts';
import { type Replacing, createJob } from '../create-job.ts';
import type { Shell } from '../shell.ts';
import { followToVerdict } from './watch.ts';

export type RunFlags = {
  /** `-`: standard input */
  readonly file: string;
  readonly wait: boolean;
  /** null: wait without a timeout */
  readonly timeoutMs: number | null;
  readonly namespace: string | null;
  /** `null`: text for people */
  readonly output: ObjectForm | 'name' | null;
  readonly replacing: Replacing;
  readonly kubeconfig: string | null;
};

/** What the command reads from a manifest before the server validates it. */
const Wished = z.object({
  kind: z.string().optional(),
  metadata: z.object({ namespace: z.string().optional() }).optional(),
});

type Created = { readonly followed: Followed; readonly object: unknown };

/**
 * `muster run`: creates the Jobs in a file and, with `wait`, waits for them. A refused Job does not stop the others from
 * being created.
 *
 * @returns the exit code; with `wait`, the Jobs' verdict
 */
export async function runJobs(flags: RunFlags, shell: Shell): Promise<number> {
  const manifests = await readManifests(flags.file, shell);
  const namespaces = manifests.map((manifest) => namespaceOf(manifest.value, flags.namespace));
  if (manifests.length > 1) manifests.forEach(refuseOtherKinds);
  const client = await reach(flags.kubeconfig, shell);
  const created: Created[] = [];
  let exitCode = 0;
  for (const [i, manifest] of manifests.entries()) {
    try {
      const namespace = namespaces[i] ?? client.target.namespace;
      created.push(await createOne(manifest, namespace, client, flags, shell));
    } catch (error) {
      if (!(error instanceof Failure) || manifests.length === 1) throw error;
      shell.err.write(`${error.message}\n`);
      exitCode = error.exitCode;
    }
  }
  if (flags.wait && created.length > 0) {
    const { kubeconfig, timeoutMs, output } = flags;
    const form = output === 'name' ? null : output;
    const followed = created.map((each) => each.followed);
    const verdict = await followToVerdict(followed, client, { kubeconfig, timeoutMs, output: form }, shell);
    return verdict === 0 ? exitCode : verdict;
  }
  const objects = created.map(({ object }) => object);
  if (flags.output !== null && flags.output !== 'name' && objects.length > 0)
    shell.out.write(objectText(manifests.length === 1 ? objects[0] : listOf(objects), flags.output));
  return exitCode;
}

async function createOne(
  manifest: Manifest,
  namespace: string,
  client: KubeClient,
  { output, wait, replacing }: RunFlags,
  shell: Shell,
): Promise<Created> {
  const { object, warnings, isReplaced } = await createJob(manifest, namespace, replacing, client, shell);
  for (const warning of warnings) shell.err.write(`Warning: ${warning}\n`);
  const { name, uid } = readAs(JobSchema, object, client.target).metadata;
  const said = `job.batch/${name}${output === 'name' ? '' : isReplaced ? ' replaced' : ' created'}\n`;
  // If standard output carries objects, messages go to standard error.
  if (output === null || output === 'name') shell.out.write(said);
  else if (wait) shell.err.write(said);
  return { followed: { namespace, name, uid }, object };
}

/** As in kubectl: a namespace given on the command line must match the manifest's, if the manifest names one. */
function namespaceOf(manifest: unknown, asked: string | null): string | null {
  const wished = Wished.safeParse(manifest).data?.metadata?.namespace ?? null;
  if (asked !== null && wished !== null && asked !== wished)
    throw usageFailure(`the manifest is for namespace ${JSON.stringify(wished)}, not ${JSON.stringify(asked)}`);
  return asked ?? wished;
}

/** Rejects a file with other kinds before it creates the first object. */
function refuseOtherKinds({ value, lineOf }: Manifest): void {
  const kind = Wished.safeParse(value).data?.kind ?? 'document without a kind';
  const line = lineOf('kind');
  if (kind !== 'Job')
    throw usageFailure(
      `${line === null ? '' : `line ${line}: `}a ${kind}; run takes Jobs (kubectl apply -f takes others, too)`,
    );
}
