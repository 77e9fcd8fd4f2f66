import { type Status, endOf, isHidden, isShrunk, tally } from '../../../domain/scoreboard/status.ts';
import { isBarePod } from '../../../domain/manifests/bare-pod.ts';
import type { Job } from '../../../domain/manifests/job.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import type { Container } from '../../../domain/manifests/pod-spec.ts';
import { taskSizeOf } from '../../../domain/task/pod-template.ts';
import { COUNTED_KINDS, type CountedKind, type CountedObjects, countedAs } from './counted-kinds.ts';

/** What counts against quotas: objects, Pods at a time, thousandths of a CPU, and bytes. All are integers. */
export type Usage = Readonly<Record<'jobs' | 'pods' | 'cpu' | 'memory' | CountedObjects, number>>;

const NAMES: readonly (keyof Usage)[] = ['jobs', 'pods', 'cpu', 'memory', ...COUNTED_KINDS.map(countedAs)];
const usage = (of: (name: keyof Usage) => number): Usage =>
  Object.fromEntries(NAMES.map((name) => [name, of(name)])) as Usage;

export const NO_USAGE: Usage = usage(() => 0);
const ONE_JOB: Usage = { ...NO_USAGE, jobs: 1 };
/** What a Job counts for as an object; a bare Pod, which is stored as one, is none. */
export const objectOf = (job: { readonly name: string }): Usage => (isBarePod(job) ? NO_USAGE : ONE_JOB);
/** What one object of a kind counts for. */
export const oneOf = (kind: CountedKind): Usage => ({ ...NO_USAGE, [countedAs(kind)]: 1 });

const combined = (a: Usage, b: Usage, of: (a: number, b: number) => number): Usage =>
  usage((name) => of(a[name], b[name]));

export const plus = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x + y);
export const minus = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x - y);
/** What `a` has more than `b`, of each at least nothing. */
export const beyond = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => Math.max(0, x - y));
export const isNothing = (usage: Usage): boolean => Object.values(usage).every((amount) => amount === 0);

/**
 * What a Job counts for, now: itself, and while it may run, the most Pods that it may have at a time, with what the task of
 * each of them gets. As long as its spec stays, this only shrinks: indexes that have succeeded never run again, and all others may. Pods
 * that are only stopping do not count, nor does a Job that another controller runs.
 */
export function usageOfJob(job: Job, manifest: Pick<JobManifest, 'spec'>, status: Status): Usage {
  const { phase } = status;
  if (isHidden(phase)) return NO_USAGE;
  const isEnding = endOf(phase) !== null || phase.kind === 'draining' || phase.kind === 'terminating';
  if (isEnding || job.spec.suspend || !job.spec.managed) return objectOf(job);
  const pods = podsAtOnce(job, status);
  const { cpu, memory } = podSize(manifest);
  return { ...objectOf(job), pods, cpu: pods * cpu, memory: pods * memory };
}

function podsAtOnce({ spec }: Job, { size, chunks }: Status): number {
  const { completions, parallelism } = spec;
  if (completions === null) return parallelism;
  // Which of them are beyond a smaller Job's end, only its board knows.
  const { succeeded, excluded } = isShrunk(spec, size) ? { succeeded: 0, excluded: 0 } : tally(chunks);
  return Math.max(0, Math.min(parallelism, completions - succeeded - excluded));
}

/**
 * What the task of each Pod gets, and what is paid for: the Fargate size that the Pod's requests are rounded up to, 0.25 vCPU and
 * 512 MiB at least. So a Pod that requests next to nothing counts as much as it costs.
 *
 * @throws InvariantError for a Pod that admission would have refused
 */
export function podSize(manifest: Pick<JobManifest, 'spec'>): Pick<Usage, 'cpu' | 'memory'> {
  const { cpu, memoryMib } = taskSizeOf(manifest);
  return { cpu: (cpu / CPU_UNITS) * 1000, memory: memoryMib * 2 ** 20 };
}

/** Of one vCPU. Every size is a whole number of quarters. */
const CPU_UNITS = 1024;

/** Of a container; undefined: it says nothing. */
export const requestText = ({ resources }: Container, name: 'cpu' | 'memory'): string | undefined =>
  resources?.requests?.[name] ?? resources?.limits?.[name];
