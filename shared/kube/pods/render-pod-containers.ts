import { type EpochMs, asTime } from '../../domain/base/time.ts';
import { CAUSE_WORDS } from '../../domain/planner/ending.ts';
import { causeLine, endWords } from '../../domain/failures/failures.ts';
import type { Container } from '../../domain/manifests/pod-spec.ts';
import { outlookOf } from '../../domain/pending/wait-words.ts';
import type { AttemptRecord } from '../../ports/job-store.ts';
import type { TaskArn } from '../../domain/base/ids.ts';
import type { PodFacts } from './pod-facts.ts';

/** How far a Pod's containers have come. ECS reports a task as a whole, and the end of one container. */
export type Stage =
  | { readonly kind: 'creating' }
  | { readonly kind: 'unstartable'; readonly reason: string; readonly message: string }
  | { readonly kind: 'running'; readonly since: EpochMs | null }
  /** Between two tasks: the previous one has crashed. */
  | { readonly kind: 'crashed'; readonly record: AttemptRecord }
  | { readonly kind: 'over'; readonly record: AttemptRecord | null };

/** `initContainerStatuses` and `containerStatuses`. */
export function containerStatuses(pod: PodFacts, stage: Stage) {
  const { containers, initContainers = [] } = pod.spec.manifest.spec.template.spec;
  const show = (container: Container, place: Place) => status(container, pod, stage, place);
  const culprit = initContainers.findIndex(({ name }) => name === failedInit(pod, stage));
  return {
    ...(initContainers.length === 0
      ? {}
      : { initContainerStatuses: initContainers.map((each, i) => show(each, initPlace(each, i, culprit))) }),
    containerStatuses: containers.map((each, i) =>
      show(each, culprit >= 0 ? 'neverStarted' : i === 0 ? 'main' : 'beside'),
    ),
  };
}

/** The init container that failed before the main one could run; null: none did. */
export const failedInit = (pod: PodFacts, stage: Stage): string | null =>
  initThatEnded(pod, 'record' in stage ? stage.record : null);

/** The init container whose end is that of an attempt; null: it is the main container's. */
export function initThatEnded({ spec }: Pick<PodFacts, 'spec'>, record: AttemptRecord | null): string | null {
  const { initContainers = [] } = spec.manifest.spec.template.spec;
  const container = record === null || record.ending.exitCode === null ? null : record.ending.container;
  return initContainers.some(({ name }) => name === container) ? container : null;
}

/** A container's role in its Pod: its end is reported (`main`, or the init container that failed), or follows from that. */
type Place = 'main' | 'beside' | 'failedInit' | 'init' | 'sidecar' | 'neverStarted';

function initPlace({ restartPolicy }: Container, i: number, culprit: number): Place {
  if (i === culprit) return 'failedInit';
  if (culprit >= 0 && i > culprit) return 'neverStarted';
  return restartPolicy === 'Always' ? 'sidecar' : 'init';
}

function status({ name, image }: Container, pod: PodFacts, stage: Stage, place: Place) {
  const runs = stage.kind === 'running' && place !== 'init';
  const published = tells(pod, stage, name, place);
  return {
    name,
    image,
    imageID: '',
    ready: runs || (stage.kind === 'running' && place === 'init'),
    started: runs,
    // The Pod's restarts: each starts all of its containers.
    restartCount: published ? (pod.current?.restarts ?? pod.record?.restarts ?? 0) : 0,
    ...withIds(name, pod, stage, stateOf(pod, stage, place), published ? lastState(pod, stage) : {}),
  };
}

/** Whether a container shows the Pod's restarts and its last end: the one that has ended last, else the main one. */
function tells(pod: PodFacts, stage: Stage, name: string, place: Place): boolean {
  const last = stage.kind === 'crashed' ? stage.record : pod.before;
  const init = failedInit(pod, stage) ?? initThatEnded(pod, last?.judgement.as === 'restarted' ? last : null);
  return init === null ? place === 'main' : name === init;
}

/** Each task has containers of its own, so a restart has another id: tools keep a log by it. */
function withIds(name: string, pod: PodFacts, stage: Stage, state: State, last: State) {
  const { launch, record, before } = pod;
  const idOf = (task: TaskArn | null | undefined): string | null =>
    task === null || task === undefined ? null : `ecs://${task.slice(task.lastIndexOf('/') + 1)}/${name}`;
  const current = idOf(launch?.state === 'launched' ? launch.taskArn : (record ?? before)?.taskArn);
  const earlier = idOf((stage.kind === 'crashed' ? stage.record : before)?.taskArn);
  const id = 'waiting' in state ? ('terminated' in last ? earlier : null) : current;
  return {
    ...(id === null ? {} : { containerID: id }),
    state: ended(state, current),
    lastState: ended(last, earlier),
  };
}

const ended = (state: State, id: string | null): State =>
  id === null || !('terminated' in state)
    ? state
    : { terminated: { ...(state['terminated'] as State), containerID: id } };

type State = Readonly<Record<string, unknown>>;

function stateOf(pod: PodFacts, stage: Stage, place: Place): State {
  if (place === 'neverStarted') return { waiting: { reason: 'PodInitializing' } };
  switch (stage.kind) {
    case 'creating':
      return {
        waiting: {
          reason: place !== 'main' || hasInit(pod) ? 'PodInitializing' : 'ContainerCreating',
          ...(place !== 'main' || pod.state !== 'launched' || pod.wait === null ? {} : { message: pod.wait.message }),
        },
      };
    case 'unstartable': {
      const { reason, message } = stage;
      return place === 'main' ? { waiting: { reason, message } } : { waiting: { reason: 'PodInitializing' } };
    }
    case 'running':
      return place === 'init'
        ? completed(pod.launch?.state === 'launched' ? pod.launch.since : null, stage.since)
        : running(stage.since);
    case 'crashed': {
      if (place === 'init')
        return failedInit(pod, stage) === null
          ? { waiting: { reason: 'PodInitializing' } }
          : completed(stage.record.times.createdAt, stage.record.times.startedAt);
      const outlook = pod.wait === null ? '' : outlookOf(pod.wait);
      const again = outlook === '' ? '' : `, ${outlook}`;
      const message = `back-off restarting failed container: ${causeLine(stage.record, pod.status.phase)}${again}`;
      const isFailed = place === 'main' || place === 'failedInit';
      return { waiting: { reason: 'CrashLoopBackOff', ...(isFailed ? { message } : {}) } };
    }
    case 'over':
      return overState(pod, stage.record, place);
  }
}

/** Once all is over. If no container of ours has exited, there is no exit code to show. */
function overState(pod: PodFacts, record: AttemptRecord | null, place: Place): State {
  if (record === null) return { terminated: terminated(0, 'Completed', '', null) };
  const { ending, times } = record;
  if (place === 'init' && (ending.exitCode !== null || times.startedAt !== null))
    return completed(times.createdAt, times.startedAt);
  if (ending.exitCode === null) return { waiting: { reason: CAUSE_WORDS[ending.cause], message: ending.reason } };
  if (place === 'main' || place === 'failedInit') return { terminated: endOf(pod, record) };
  return {
    terminated: terminated(0, 'Stopped', 'it was stopped with the first container; its exit code is not kept', record),
  };
}

function lastState(pod: PodFacts, stage: Stage): State {
  const before = stage.kind === 'crashed' ? stage.record : pod.before;
  return before?.judgement.as === 'restarted' ? { terminated: endOf(pod, before) } : {};
}

/** How the container with the reported end ended. */
function endOf({ status }: PodFacts, record: AttemptRecord): State {
  const { reason, message } = endWords(record, status.phase);
  return terminated(record.ending.exitCode ?? 1, reason, message, record);
}

const running = (since: EpochMs | null): State => ({ running: since === null ? {} : { startedAt: asTime(since) } });

const completed = (from: EpochMs | null, to: EpochMs | null): State => ({
  terminated: { exitCode: 0, reason: 'Completed', ...time('startedAt', from), ...time('finishedAt', to) },
});

const terminated = (exitCode: number, reason: string, message: string, record: AttemptRecord | null) => ({
  exitCode,
  reason,
  ...(message === '' ? {} : { message }),
  ...time('startedAt', record?.times.startedAt ?? null),
  ...time('finishedAt', record?.times.stoppedAt ?? null),
});

const time = (key: string, at: EpochMs | null): State => (at === null ? {} : { [key]: asTime(at) });

export const hasInit = ({ spec }: PodFacts): boolean =>
  (spec.manifest.spec.template.spec.initContainers ?? []).length > 0;
