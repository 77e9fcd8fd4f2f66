import { asJobUid } from '../../../domain/base/ids.ts';
import { COUNTED_KINDS, type CountedKind, countedAs } from '../domain/counted-kinds.ts';
import { settleAll } from '../domain/decide-room.ts';
import { quotaIn } from '../domain/quota-document.ts';
import { QUOTA_KEYS, countedFor } from '../domain/quota-keys.ts';
import type { Quota } from '../domain/quota.ts';
import { NO_USAGE, objectOf, oneOf, type Usage, plus, usageOfJob } from '../domain/usage.ts';
import { DEFAULT_ACCOUNT } from '../../../domain/callers/accounts.ts';
import type { NamedJob } from '../../../ports/job-store.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import { everyObject } from '../../../store/every-object.ts';
import { toJob } from '../../../store/to-job.ts';
import type { Deps } from '../../../control/process/deps.ts';
import type { NamespaceCount } from './quota-turns.ts';

export type StoredQuota = { readonly stored: StoredObject; readonly quota: Quota };

/** The quotas of a namespace, in the order of their names. */
export async function readQuotas(namespace: string, deps: Pick<Deps, 'objects'>): Promise<readonly StoredQuota[]> {
  const found: StoredQuota[] = [];
  for await (const stored of everyObject('ResourceQuota', namespace, deps.objects))
    found.push({ stored, quota: quotaIn(stored.document) });
  return found;
}

const PAGE = 100;
/** Jobs that are read at a time. */
const READS_AT_ONCE = 16;

/** The namespaces that have quotas. */
export async function namespacesWithQuotas(deps: Pick<Deps, 'objects'>): Promise<readonly string[]> {
  const names = new Set<string>();
  for await (const { key } of everyObject('ResourceQuota', null, deps.objects)) names.add(key.namespace);
  return [...names];
}

/** One object, as it was seen. */
type Seen = { readonly uid: string; readonly revision: number; readonly usage: Usage };

/**
 * Counts what a namespace's quotas limit. The quotas are read first: whatever is reserved later is not in them, and whatever was
 * reserved before is either in effect by now or still listed in them.
 *
 * @param max so many Jobs, and so many objects of each other kind; null: however many there are
 * @returns null: there are more
 */
export async function countNamespace(
  namespace: string,
  deps: Deps,
  max: number | null = null,
): Promise<NamespaceCount | null> {
  const kept = (deps.state.quotas.turns.settled.get(namespace) ?? []).filter(({ isReturned }) => !isReturned);
  const quotas = settleAll(
    (await readQuotas(namespace, deps)).map(({ quota }) => quota),
    kept,
  );
  const limited = new Set(
    QUOTA_KEYS.filter((key) => quotas.some(({ hard }) => hard[key] !== undefined)).map(countedFor),
  );
  const all: Seen[] = [];
  for (const kind of COUNTED_KINDS) {
    const objects = limited.delete(countedAs(kind)) ? await seeObjects(kind, namespace, deps, max) : [];
    if (objects === null) return null;
    all.push(...objects);
  }
  const jobs = limited.size > 0 ? await seeJobs(namespace, deps, max) : [];
  if (jobs === null) return null;
  const listed = new Map([...all, ...jobs].map((each) => [each.uid, each]));
  const seen = new Map([...listed, ...(await seeReserved(quotas, listed, deps))]);
  return {
    read: new Map(quotas.map((quota) => [quota.uid, quota])),
    counted: { total: [...seen.values()].reduce((sum, { usage }) => plus(sum, usage), NO_USAGE), seen },
  };
}

/** Jobs that were stored after the list had come to their place, or are deleted already. */
async function seeReserved(
  quotas: readonly Quota[],
  listed: ReadonlyMap<string, Seen>,
  deps: Deps,
): Promise<ReadonlyMap<string, Seen>> {
  const uids = new Set(quotas.flatMap(({ ledger }) => ledger.open.map(({ uid }) => uid)));
  const found = new Map<string, Seen>();
  for (const uid of uids) {
    const one = listed.has(uid) ? null : await seeJob({ uid: asJobUid(uid) }, deps);
    if (one !== null) found.set(uid, one);
  }
  return found;
}

async function seeObjects(
  kind: CountedKind,
  namespace: string,
  deps: Deps,
  max: number | null,
): Promise<readonly Seen[] | null> {
  const seen: Seen[] = [];
  const see = (uid: string) => seen.push({ uid, revision: Number.POSITIVE_INFINITY, usage: oneOf(kind) });
  // Every namespace has an account of this name, stored or not, and nobody creates it.
  let isMissing = kind === 'ServiceAccount';
  for await (const { key, document } of everyObject(kind, namespace, deps.objects)) {
    if (max !== null && seen.length >= max) return null;
    if (key.name === DEFAULT_ACCOUNT) isMissing = false;
    see(document.metadata.uid);
  }
  if (isMissing) see(DEFAULT_ACCOUNT);
  return seen;
}

async function seeJobs(namespace: string, deps: Deps, jobsMax: number | null): Promise<readonly Seen[] | null> {
  const { jobs, cache } = deps;
  const seen: Seen[] = [];
  let listed = 0;
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['jobs']['listJobs']>> = await jobs.listJobs({
      namespace,
      after,
      limit: PAGE,
    });
    listed += page.jobs.length;
    if (jobsMax !== null && listed > jobsMax) return null;
    const rest = page.jobs.values();
    const worker = async (): Promise<void> => {
      for (const job of rest) {
        const one = cache.ended.has(job.uid) ? endedJob(job) : await seeJob(job, deps);
        if (one !== null) seen.push(one);
      }
    };
    await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE, page.jobs.length) }, worker));
    after = page.next;
  } while (after !== null);
  return seen;
}

const endedJob = ({ uid, name }: Pick<NamedJob, 'uid' | 'name'>): Seen => ({
  uid,
  revision: Number.POSITIVE_INFINITY,
  usage: objectOf({ name }),
});

/** STATUS first: a spec that is newer counts for at least as much with it. */
async function seeJob(
  job: Pick<NamedJob, 'uid'> & { readonly name?: string },
  { jobs, cache }: Deps,
): Promise<Seen | null> {
  const { uid } = job;
  const status = await jobs.readStatus(uid);
  if (status === null) return null;
  if (status.phase.kind === 'finished') {
    cache.ended.add(uid);
    const name = job.name ?? (await jobs.readSpec(uid))?.identity.name;
    return name === undefined ? null : endedJob({ uid, name });
  }
  const cached = cache.specs.get(uid);
  const spec = cached?.revision === status.revision ? cached : await jobs.readSpec(uid);
  if (spec === null) return null;
  cache.specs.set(uid, spec);
  return { uid, revision: spec.revision, usage: usageOfJob(toJob(spec), spec.manifest, status) };
}
