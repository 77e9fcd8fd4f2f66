import type { JobUid } from '../../domain/base/ids.ts';
import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { endOf, isHidden } from '../../domain/scoreboard/status.ts';
import { cycleText, pathBack } from '../../domain/upstreams/cycles.ts';
import { foreignFault, sizeFault } from '../../domain/upstreams/upstreams.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Waiter } from '../../ports/waiters.ts';
import { type FieldError, invalid } from '../../schema/object/field-error.ts';
import { annotationPath } from '../../schema/job/selection-rules.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';
import { readUpstream } from './read-upstreams.ts';

type Reads = Pick<Deps, 'jobs' | 'cache' | 'waiters'>;

/**
 * What is wrong with the Jobs that a new Job waits for, as far as they exist: other controllers run them, they have other indexes,
 * or they wait for this one in turn. Jobs that do not exist yet are checked when they are first seen.
 */
export async function dependencyFaults(spec: StoredSpec, reads: Reads): Promise<readonly FieldError[]> {
  const { after, afterIndexes, completions, managed } = toJob(spec).spec;
  if (!managed || after.length + afterIndexes.length === 0) return [];
  const { namespace } = spec.identity;
  const errors: FieldError[] = [];
  const refuse = (key: string, why: string): void => {
    errors.push(invalid(annotationPath(key), spec.manifest.metadata.annotations?.[key], why));
  };
  const readAll = async <D extends { readonly name: string }>(dependencies: readonly D[]) =>
    Promise.all(
      dependencies.map(async (dependency) => ({
        dependency,
        seen: await readUpstream({ namespace, name: dependency.name, known: null, withBoard: false }, reads),
      })),
    );
  const [jobs, jobsOfIndexes] = await Promise.all([readAll(after), readAll(afterIndexes)]);
  for (const { seen } of jobs) {
    const fault = foreignFault(seen);
    if (fault !== null) refuse(ANNOTATIONS.after, fault);
  }
  for (const { dependency, seen } of jobsOfIndexes) {
    const fault = foreignFault(seen) ?? sizeFault(dependency, seen, completions);
    if (fault !== null) refuse(ANNOTATIONS.afterIndexes, fault);
  }
  // A Job that does not exist yet waits for none. What it waits for is looked at when it is created.
  const there = [...jobs, ...jobsOfIndexes].flatMap(({ seen }) => (seen.uid === null ? [] : [seen.name]));
  const cycle = there.length === 0 ? null : await findCycle(spec, new Set(there), reads);
  if (cycle !== null)
    refuse(
      after.some(({ name }) => name === cycle[1]) ? ANNOTATIONS.after : ANNOTATIONS.afterIndexes,
      cycleText(cycle),
    );
  return errors;
}

/** Jobs that a search for a cycle looks at. A longer one is found by the doctor. */
const LOOKED_AT_MAX = 2_000;

/**
 * The way from a new Job along what each waits for, back to itself; null: there is none. A Job that does not exist yet can only be
 * on a cycle if others wait for its name, so most searches end after one query.
 *
 * @param upstreams which of those that it waits for exist
 */
async function findCycle(
  spec: StoredSpec,
  upstreams: ReadonlySet<string>,
  reads: Reads,
): Promise<readonly string[] | null> {
  const { namespace, name } = spec.identity;
  /** By the name of a Job that waits: for whom, on the way back to the new one. */
  const waitsFor = new Map<string, string>();
  const open: { readonly name: string; readonly uid: JobUid | null }[] = [{ name, uid: null }];
  for (let next = open.shift(); next !== undefined && waitsFor.size < LOOKED_AT_MAX; next = open.shift()) {
    for (const waiter of await reads.waiters.list(namespace, next.name)) {
      if (waitsFor.has(waiter.name) || !(await isWaiting(waiter, next.uid, reads))) continue;
      waitsFor.set(waiter.name, next.name);
      if (upstreams.has(waiter.name)) return pathBack(name, waiter.name, waitsFor);
      open.push(waiter);
    }
  }
  return null;
}

/**
 * The row may be older than what has become of the Job: it has started, or it has seen another Job under the name, which it waits
 * for, or has waited for.
 *
 * @param other the Job that has the name; null: the one that is to get it
 */
async function isWaiting({ uid, upstream, byIndex }: Waiter, other: JobUid | null, { jobs }: Reads): Promise<boolean> {
  const status = await jobs.readStatus(uid);
  if (status === null || isHidden(status.phase) || endOf(status.phase) !== null) return false;
  const seen = status.upstreams.find((each) => each.name === upstream);
  if (seen === undefined || seen.isMet || (seen.uid !== null && seen.uid !== other)) return false;
  return byIndex || status.startTime === null;
}
