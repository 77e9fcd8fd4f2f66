import { createQuotaCommands } from '../../control/quota-changes.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { quotaIn } from '../../domain/quota-document.ts';
import type { Quota } from '../../domain/quota.ts';
import { NO_USAGE, type Usage, plus, usageOfJob } from '../../domain/usage.ts';
import { invariant } from '../../../../domain/base/invariant.ts';
import type { JobStore } from '../../../../ports/job-store.ts';
import type { ObjectStore } from '../../../../ports/object-store.ts';
import { toJob } from '../../../../store/to-job.ts';

/** Stores a quota of the namespace `default`, and counts what is there. */
export async function aQuota(deps: Deps, hard: Readonly<Record<string, string>>, name = 'team'): Promise<void> {
  const document = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace: 'default', uid: `uid-of-${name}`, creationTimestamp: '2027-01-15T08:00:00Z' },
    spec: { hard },
    status: {},
  };
  await deps.objects.commit('ResourceQuota', { key: { namespace: 'default', name }, was: 0, document });
  await createQuotaCommands(deps).count('default');
}

export async function quotaOf(objects: ObjectStore, name = 'team'): Promise<Quota> {
  const stored = await objects.read('ResourceQuota', { namespace: 'default', name });
  invariant(stored !== null, 'there is such a quota');
  return quotaIn(stored.document);
}

/** What the Jobs of `default` really count for. */
export async function usageOfAll(jobs: JobStore): Promise<Usage> {
  let total = NO_USAGE;
  const { jobs: named } = await jobs.listJobs({ namespace: 'default', after: null, limit: 1_000 });
  for (const { uid } of named) {
    const [spec, status] = [await jobs.readSpec(uid), await jobs.readStatus(uid)];
    if (spec !== null && status !== null) total = plus(total, usageOfJob(toJob(spec), spec.manifest, status));
  }
  return total;
}
