import type { JobUid } from '../domain/brand.ts';
import type { JobStore } from '../ports/job-store.ts';
import { type Place, decodePlace } from '../schema/list-place.ts';
import { type Parsed, bad, countOf, ok } from './query.ts';

const JOBS_PER_READ = 100;

/** At most `limit` objects, from a place on. */
export type PageRequest = { readonly limit: number; readonly from: Place | null };
/** What the client asks for; without a limit, everything. */
export type PageWish = { readonly limit: number | null; readonly from: Place | null };

/** Reads `limit` and `continue`. */
export function parsePage(query: { readonly limit?: string; readonly continue?: string }): Parsed<PageWish> {
  const limit = countOf('limit', query.limit);
  if (limit.kind === 'bad') return limit;
  const wanted = limit.value === 0 ? null : limit.value;
  if (query.continue === undefined || query.continue === '') return ok({ limit: wanted, from: null });
  const from = decodePlace(query.continue);
  return from === null ? bad('continue key is not valid') : ok({ limit: wanted, from });
}

/** One page of objects; `next` is where it goes on, null at the end. */
export type Page<T> = { readonly version: number; readonly items: readonly T[]; readonly next: Place | null };

export type JobRef = {
  readonly uid: JobUid;
  readonly namespace: string;
  readonly name: string;
  /** The store's cursor of the page that it was on. */
  readonly after: string | null;
};

/** Which Jobs a request is about; a selector may name the one. */
export type JobScope = { readonly namespace: string | null; readonly name: string | undefined };

/** The Jobs of a scope in order of (namespace, name), from a place on. */
export async function* jobRefs(jobs: JobStore, scope: JobScope, from: Place | null): AsyncGenerator<JobRef> {
  const { namespace, name } = scope;
  if (namespace !== null && name !== undefined) {
    const uid = await jobs.findJob(namespace, name);
    if (uid !== null) yield { uid, namespace, name, after: null };
    return;
  }
  let after = from?.after ?? null;
  do {
    const page = await jobs.listJobs({ namespace, after, limit: JOBS_PER_READ });
    for (const ref of page.jobs) {
      const isBefore = from !== null && compare(ref, from.job) < 0;
      if (!isBefore && (name === undefined || ref.name === name)) yield { ...ref, after };
    }
    after = page.next;
  } while (after !== null);
}

const compare = (a: Place['job'], b: Place['job']): number =>
  a.namespace === b.namespace ? order(a.name, b.name) : order(a.namespace, b.namespace);
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
