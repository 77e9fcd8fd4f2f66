import { isPrunable } from '../../shared/domain/manifests/prunable.ts';
import { type Job, JobSchema, conditionOf } from '../client/api-objects.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { ApiFailure, EXIT } from '../shell/failure.ts';
import { formatAge } from '../text/age.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { objectText } from '../render/object-text.ts';
import { onOneLine } from '../text/table.ts';
import type { Shell } from '../shell/shell.ts';

export type PruneFlags = {
  readonly olderThanMs: number;
  readonly dryRun: boolean;
  readonly namespace: string | null;
  readonly allNamespaces: boolean;
  /** null: a line for each Job */
  readonly output: ObjectForm | null;
  readonly kubeconfig: string | null;
};

/** `held`: a finalizer keeps it for now. `gone`: somebody else has deleted it meanwhile. */
type Outcome = 'deleted' | 'held' | 'gone' | 'refused' | 'wouldBeDeleted';
type Pruned = { readonly namespace: string; readonly name: string; readonly uid: string; readonly endedAt: number };

/** `muster prune`: deletes the Jobs that ended long ago, one by one, the oldest first. A refusal does not stop the others. */
export async function prune(flags: PruneFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.allNamespaces ? null : (flags.namespace ?? client.target.namespace);
  const { items } = await client.list(jobsPath(namespace));
  const now = shell.now();
  const jobs = endedBefore(
    items.map((item) => readAs(JobSchema, item, client.target)),
    flags.olderThanMs,
    now,
  );
  const done: (Pruned & { readonly outcome: Outcome })[] = [];
  for (const job of jobs) {
    const outcome = flags.dryRun ? 'wouldBeDeleted' : await deleted(job, client, shell);
    done.push({ ...job, outcome });
    if (flags.output === null) shell.out.write(`${lineOf(job, outcome, flags.allNamespaces, now)}\n`);
  }
  const count = done.filter(({ outcome }) => outcome === 'deleted' || outcome === 'wouldBeDeleted').length;
  if (flags.output === null) shell.out.write(`${sumOf(count, flags.dryRun)}\n`);
  else shell.out.write(objectText(objectOf(done, count, flags), flags.output));
  return done.some(({ outcome }) => outcome === 'refused') ? EXIT.failed : EXIT.ok;
}

async function deleted({ namespace, name, uid }: Pruned, client: KubeClient, shell: Shell): Promise<Outcome> {
  try {
    // The answer to a Job that is gone is a Status; to one that is held, the Job.
    const answer = JobSchema.safeParse(await client.remove(jobsPath(namespace, name), uid));
    return answer.success && answer.data.metadata.deletionTimestamp !== undefined ? 'held' : 'deleted';
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const { code } = error.status;
    if (code === 404 || code === 409) return 'gone'; // 409: another Job has its name by now
    shell.err.write(`${error.message}\n`);
    return 'refused';
  }
}

/** The Jobs that ended `olderThanMs` ago or earlier, the oldest end first; not those that are being deleted already. */
export function endedBefore(jobs: readonly Job[], olderThanMs: number, now: number): readonly Pruned[] {
  return jobs
    .flatMap((job): readonly Pruned[] => {
      const endedAt = (conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed'))?.lastTransitionTime ?? null;
      const { namespace, name, uid, deletionTimestamp } = job.metadata;
      const isDue = deletionTimestamp === undefined && isPrunable(endedAt, olderThanMs, now);
      return endedAt !== null && isDue ? [{ namespace, name, uid, endedAt }] : [];
    })
    .toSorted((a, b) => a.endedAt - b.endedAt);
}

const WORDS: Readonly<Record<Outcome, string>> = {
  deleted: 'deleted',
  held: 'is held by its finalizers',
  gone: 'is gone already',
  refused: 'not deleted',
  wouldBeDeleted: 'would be deleted',
};

function lineOf({ namespace, name, endedAt }: Pruned, outcome: Outcome, all: boolean, now: number): string {
  const at = all ? ` in namespace ${onOneLine(namespace)}` : '';
  return `job.batch "${onOneLine(name)}"${at} ${WORDS[outcome]} (ended ${formatAge(endedAt, now)} ago)`;
}

const sumOf = (count: number, dryRun: boolean): string =>
  `${count} ${count === 1 ? 'Job' : 'Jobs'} ${dryRun ? 'would be deleted' : 'deleted'}`;

const objectOf = (
  done: readonly (Pruned & { readonly outcome: Outcome })[],
  count: number,
  { dryRun, olderThanMs }: PruneFlags,
) => ({
  apiVersion: 'muster.run/v1',
  kind: 'Pruning',
  dryRun,
  olderThanSeconds: olderThanMs / 1000,
  count,
  jobs: done.map(({ namespace, name, uid, endedAt, outcome }) => ({
    namespace,
    name,
    uid,
    endedAt: new Date(endedAt).toISOString().replace('.000Z', 'Z'),
    outcome,
  })),
});
