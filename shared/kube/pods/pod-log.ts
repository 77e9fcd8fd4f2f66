import type { TaskArn } from '../../domain/base/ids.ts';
import { causeLine, isStartError } from '../../domain/failures/failures.ts';
import { launchRowOf } from '../../domain/scoreboard/launch-row.ts';
import type { JobStore } from '../../ports/job-store.ts';
import type { PodFacts } from './pod-facts.ts';
import type { LogOptions } from './pod-log-options.ts';
import { initThatEnded } from './render-pod-containers.ts';
import { podStatus } from './render-pod-status.ts';

/** The task whose log is requested; `hasEnded`: nothing more comes from it, except what is still in transit. */
export type LogSource =
  | { readonly kind: 'task'; readonly taskArn: TaskArn; readonly hasEnded: boolean }
  /** `why`: in Kubernetes' words, which clients print; `cause`: the same for programs, where it is known. */
  | { readonly kind: 'none'; readonly why: string; readonly cause?: LogCause };

/** The container waits to start, or will not start any more; `message`: why. */
type LogCause = { readonly reason: 'ContainerWaiting' | 'ContainerNeverStarted'; readonly message: string };

/**
 * Which task's log a container has: the kubelet decides it by the container's state. One that waits to restart shows its last
 * output. For one that never started there is nothing to show, so the answer says why; a kubelet may answer with an empty text.
 */
export async function findLogSource(
  pod: PodFacts,
  podName: string,
  { container, previous }: Pick<LogOptions, 'container' | 'previous'>,
  jobs: Pick<JobStore, 'readLaunches'>,
): Promise<LogSource> {
  const quoted = `container ${JSON.stringify(container)} in pod ${JSON.stringify(podName)}`;
  const { state, launch, record, before } = pod;
  const crashed = before?.judgement.as === 'restarted' ? before.taskArn : null;
  if (previous) {
    const earlier = crashed ?? record?.earlierTaskArn ?? null;
    return earlier === null
      ? { kind: 'none', why: `previous terminated ${quoted} not found` }
      : { kind: 'task', taskArn: earlier, hasEnded: true };
  }
  const isInit = (pod.spec.manifest.spec.template.spec.initContainers ?? []).some(({ name }) => name === container);
  // A task that is being launched may have reached its init containers.
  if (launch?.state === 'launched' && (state === 'running' || (state === 'launched' && isInit)))
    return { kind: 'task', taskArn: launch.taskArn, hasEnded: false };
  if (state === 'claimed' || state === 'launched' || state === 'running' || state === 'waiting')
    return crashed === null || (before !== null && isStartError(before) && !isInit)
      ? none(`${quoted} is waiting to start`, 'ContainerWaiting', waitsFor(pod, container))
      : { kind: 'task', taskArn: crashed, hasEnded: true };
  const whyNot = isInit ? null : neverStarted(pod);
  if (whyNot !== null) return none(`${quoted} never started`, 'ContainerNeverStarted', whyNot);
  const taskArn = record?.taskArn ?? (await launchedTask(pod, jobs));
  return taskArn === null
    ? { kind: 'none', why: `${quoted} is terminated` }
    : { kind: 'task', taskArn, hasEnded: true };
}

const none = (what: string, reason: LogCause['reason'], message: string): LogSource => ({
  kind: 'none',
  why: `${what}: ${message}`,
  cause: { reason, message },
});

/** Why the containers of an ended Pod never started; null: they did, as far as is known. */
function neverStarted({ record, status, spec }: PodFacts): string | null {
  if (record === null) return null;
  const cause = causeLine(record, status.phase);
  const init = initThatEnded({ spec }, record);
  if (init !== null && !isStartError(record)) return `init container ${init} failed: ${cause}`;
  if (record.times.startedAt !== null) return null;
  return isStartError(record) || record.ending.exitCode === null ? cause : null;
}

/** An unreported end does not know its task. */
async function launchedTask({ spec, index, attempt }: PodFacts, jobs: Pick<JobStore, 'readLaunches'>) {
  const { slots } = await jobs.readLaunches(spec.identity.uid, launchRowOf(index));
  const slot = slots.find((each) => each.index === index && each.attempt === attempt);
  return slot?.state === 'launched' ? slot.taskArn : null;
}

/** Why a container has not started, in the kubelet's words. */
function waitsFor(pod: PodFacts, container: string): string {
  const { containerStatuses = [], initContainerStatuses = [] } = podStatus(pod);
  const status = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
  const waiting = status?.state['waiting'];
  const reason = textIn(waiting, 'reason') ?? 'ContainerCreating';
  const message = textIn(waiting, 'message') ?? '';
  const word = reason === 'ImagePullBackOff' ? 'trying and failing to pull image' : reason;
  return `${word}${message === '' ? '' : `: ${message}`}`;
}

function textIn(object: unknown, key: string): string | null {
  const value: unknown = typeof object === 'object' && object !== null ? Reflect.get(object, key) : null;
  return typeof value === 'string' ? value : null;
}
