import { parseQuantity } from '../base/quantity.ts';
import { type Status, endOf, isHidden, isShrunk, tally } from '../scoreboard/status.ts';
import type { Job } from '../spec/job.ts';
import type { JobManifest } from '../spec/manifest.ts';
import type { Container, PodSpec } from '../spec/pod-spec.ts';
import { podNeed } from '../task/pod-template.ts';

/** What counts against quotas: objects, Pods at a time, thousandths of a CPU, and bytes. All are integers. */
export type Usage = {
  readonly jobs: number;
  readonly cronJobs: number;
  readonly pods: number;
  readonly cpu: number;
  readonly memory: number;
};

export const NO_USAGE: Usage = { jobs: 0, cronJobs: 0, pods: 0, cpu: 0, memory: 0 };
export const ONE_JOB: Usage = { ...NO_USAGE, jobs: 1 };
export const ONE_CRON_JOB: Usage = { ...NO_USAGE, cronJobs: 1 };

const combined = (a: Usage, b: Usage, of: (a: number, b: number) => number): Usage => ({
  jobs: of(a.jobs, b.jobs),
  cronJobs: of(a.cronJobs, b.cronJobs),
  pods: of(a.pods, b.pods),
  cpu: of(a.cpu, b.cpu),
  memory: of(a.memory, b.memory),
});

export const plus = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x + y);
/** What `a` has more than `b`, of each at least nothing. */
export const beyond = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => Math.max(0, x - y));
export const isNothing = (usage: Usage): boolean => Object.values(usage).every((amount) => amount === 0);

/**
 * What a Job counts for, now: itself, and while it may run, the most Pods that it may have at a time, with what each of them
 * requests. As long as its spec stays, this only shrinks: indexes that have succeeded never run again, and all others may. Pods
 * that are only stopping do not count, nor does a Job that another controller runs.
 */
export function usageOfJob(job: Job, manifest: Pick<JobManifest, 'spec'>, status: Status): Usage {
  const { phase } = status;
  if (isHidden(phase)) return NO_USAGE;
  const isEnding = endOf(phase) !== null || phase.kind === 'draining' || phase.kind === 'terminating';
  if (isEnding || job.spec.suspend || !job.spec.managed) return ONE_JOB;
  const pods = podsAtOnce(job, status);
  const { cpu, memory } = podRequests(manifest.spec.template.spec);
  return { jobs: 1, cronJobs: 0, pods, cpu: pods * cpu, memory: pods * memory };
}

function podsAtOnce({ spec }: Job, { size, chunks }: Status): number {
  const { completions, parallelism } = spec;
  if (completions === null) return parallelism;
  // Which of them are beyond a smaller Job's end, only its board knows.
  const { succeeded, excluded } = isShrunk(spec, size) ? { succeeded: 0, excluded: 0 } : tally(chunks);
  return Math.max(0, Math.min(parallelism, completions - succeeded - excluded));
}

/** What Kubernetes takes a Pod to request (`PodRequests`): a limit without a request counts as both. */
export const podRequests = ({ containers, initContainers = [] }: PodSpec): Pick<Usage, 'cpu' | 'memory'> => ({
  cpu: roundedUp(podNeed(containers, initContainers, requestOf('cpu')) * 1000),
  memory: roundedUp(podNeed(containers, initContainers, requestOf('memory'))),
});

/** With some slack, so that 0.1 + 0.2 is not more than 0.3. */
const roundedUp = (amount: number): number => Math.max(0, Math.ceil(amount - 1e-6));

/** Of a container; undefined: it says nothing. */
export const requestText = ({ resources }: Container, name: 'cpu' | 'memory'): string | undefined =>
  resources?.requests?.[name] ?? resources?.limits?.[name];

const requestOf =
  (name: 'cpu' | 'memory') =>
  (container: Container): number =>
    parseQuantity(requestText(container, name) ?? '0') ?? 0;
