import * as z from 'zod';
import { JobSchema } from '../api-objects.ts';
import { usageFailure } from '../failure.ts';
import { connect, jobsPath, readAs } from '../kube-client.ts';
import { findTarget } from '../kubeconfig.ts';
import { readManifest } from '../manifest-file.ts';
import type { Shell } from '../shell.ts';
import { waitForJob } from '../wait-for-job.ts';

export type RunFlags = {
  /** `-`: standard input */
  readonly file: string;
  readonly wait: boolean;
  /** null: no timeout */
  readonly timeoutMs: number | null;
  readonly namespace: string | null;
  readonly json: boolean;
  readonly kubeconfig: string | null;
};

const Wished = z.object({ metadata: z.object({ namespace: z.string().optional() }).optional() });

/**
 * `muster run`: creates a Job and, if wanted, waits for it.
 *
 * @returns the exit code: with `wait` the Job's verdict
 */
export async function runJob(flags: RunFlags, shell: Shell): Promise<number> {
  const target = findTarget(flags.kubeconfig, shell);
  const manifest = await readManifest(flags.file, shell);
  const client = await connect(target);
  const namespace = namespaceOf(manifest, flags.namespace) ?? target.namespace;
  const { object, warnings } = await client.create(jobsPath(namespace), manifest);
  for (const warning of warnings) shell.err.write(`Warning: ${warning}\n`);
  const { metadata } = readAs(JobSchema, object, target);
  const printJson = (job: unknown): void => shell.out.write(`${JSON.stringify(job, null, 2)}\n`);
  // Where standard output carries JSON, people are told on the other.
  const output = flags.json ? shell.err : shell.out;
  if (flags.wait || !flags.json) output.write(`job.batch/${metadata.name} created\n`);
  if (!flags.wait) {
    if (flags.json) printJson(object);
    return 0;
  }
  if (output.terminal !== null) output.write('\n');
  const { name, uid } = metadata;
  const { timeoutMs } = flags;
  const reconnect = async () => connect(findTarget(flags.kubeconfig, shell));
  const waited = await waitForJob({ namespace, name, uid }, { client, reconnect, timeoutMs, output }, shell);
  if (flags.json && waited.object !== null) printJson(waited.object);
  return waited.exitCode;
}

/** As kubectl: a namespace that is asked for must be the manifest's, if that names one. */
function namespaceOf(manifest: unknown, asked: string | null): string | null {
  const wished = Wished.safeParse(manifest).data?.metadata?.namespace ?? null;
  if (asked !== null && wished !== null && asked !== wished)
    throw usageFailure(`the manifest is for namespace ${JSON.stringify(wished)}, not ${JSON.stringify(asked)}`);
  return asked ?? wished;
}
