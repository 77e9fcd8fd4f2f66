import { type EpochMs, later } from '../../domain/base/time.ts';
import { isPastDeadline, whyText } from '../../domain/scoreboard/why.ts';
import type { TaskArn } from '../../domain/base/ids.ts';
import { indexWithin } from '../../domain/base/shown-index.ts';
import { CAUSE_WORDS } from '../../domain/planner/ending.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import { mainContainer } from '../../domain/task/pod-template.ts';
import { podName, podUid } from '../../domain/task/pod-name.ts';
import { startFailureOf, waitingWords } from '../../domain/task/start-failure.ts';
import { endWords, isStartError, isStoppedWithJob } from '../../domain/failures/failures.ts';
import type { AttemptRecord } from '../../ports/job-store.ts';
import type { Occurrence, Subject } from './event-object.ts';
import type { PodFacts } from '../pods/pod-facts.ts';
import { nodeOf, podCreatedAt, stoppingSince } from '../pods/render-pod.ts';

/** What an Event is about, and how far the attempt had come: higher numbers come later. */
type PodOccurrence = Occurrence & { readonly place: number };

/** Steps of one task, in their order. */
const STEPS = { waits: 1, assigned: 2, runs: 3, stops: 4, ended: 5 } as const;

/** The position of a step of an attempt's task: attempts, then tasks of one attempt (their nonces), then steps. */
const placeOf = (attempt: number, nonce: number, step: keyof typeof STEPS): number =>
  firstPlaceOf(attempt) + Math.min(nonce, 1e8 - 1) * 10 + STEPS[step];

/** Before all steps of an attempt, after all steps of the one before. */
export const firstPlaceOf = (attempt: number): number => attempt * PLACES;
export const attemptOfPlace = (place: number): number => Math.floor(place / PLACES);
const PLACES = 1e9;

export function podSubject({ spec, index, attempt, version }: PodFacts): Subject {
  const { identity, manifest } = spec;
  return {
    kind: 'Pod',
    namespace: identity.namespace,
    name: podName({ ...identity, completionMode: manifest.spec.completionMode }, index, attempt),
    uid: podUid(identity.uid, index, attempt),
    version,
  };
}

/**
 * What has happened to a Pod, oldest first, from what is known about its attempt: nothing was written when it happened. A
 * task's time is ECS's, or that of RunTask's answer if ECS does not report it.
 */
export function podOccurrences(pod: PodFacts): readonly PodOccurrence[] {
  const { record, before } = pod;
  const ended = record ?? before;
  const all = [...(ended === null ? [] : endedTask(pod, ended)), ...presentTask(pod)];
  return all.map((occurrence) => withItem(occurrence, pod));
}

/** A warning says on what the Pod works; the news that all is well keep the kubelet's words. */
function withItem(occurrence: PodOccurrence, { index, item }: PodFacts): PodOccurrence {
  const { type, message } = occurrence;
  return item === null || type === 'Normal'
    ? occurrence
    : { ...occurrence, message: `${message} (${indexWithin(index, item.line)})` };
}

/** The task of a Pod that has one, or waits for it. */
function presentTask(pod: PodFacts): readonly PodOccurrence[] {
  const { state, launch, current, status, wait } = pod;
  if (state === 'claimed') {
    // A Pod that only waits for its turn has not failed at anything.
    if (wait === null || wait.message !== status.waitReason) return [];
    const made = podCreatedAt(pod);
    return [unscheduled(pod, current?.nonce ?? 0, status.waitReason, made, later(made, status.now))];
  }
  if ((state !== 'launched' && state !== 'running') || launch?.state !== 'launched') return [];
  const { nonce, since } = launch;
  if (wait?.cause === 'room') return [unscheduled(pod, nonce, wait.message, since, later(since, status.now))];
  const stopsAt = stoppingSince(pod);
  return [
    assigned(pod, nonce, launch.taskArn, since),
    ...(state === 'running' ? started(pod, nonce, since) : []),
    ...(stopsAt === null ? [] : [killing(pod, nonce, stopsAt)]),
  ];
}

/** A task that is over, from its record. */
function endedTask(pod: PodFacts, record: AttemptRecord): readonly PodOccurrence[] {
  const { nonce, taskArn, times, ending } = record;
  const assignedAt = times.createdAt ?? times.startedAt ?? times.stoppedAt;
  const hadPlace = ending.cause !== 'Unplaced' || startFailureOf(ending) !== null;
  const isPlaced = taskArn !== null && assignedAt !== null && hadPlace;
  return [
    ...(isPlaced ? [assigned(pod, nonce, taskArn, assignedAt)] : []),
    ...(isPlaced && times.startedAt !== null ? started(pod, nonce, times.startedAt) : []),
    ...end(pod, record, times.stoppedAt ?? assignedAt ?? podCreatedAt(pod)),
  ];
}

/** How it ended, if a cluster or ECS reports something about that. */
function end(pod: PodFacts, record: AttemptRecord, at: EpochMs): readonly PodOccurrence[] {
  const { nonce, ending, judgement } = record;
  const { cause, reason, exitCode } = ending;
  const container = ending.container ?? mainOf(pod);
  const warn = (word: string, message: string): PodOccurrence =>
    one(pod, nonce, 'ended', { type: 'Warning', reason: word, message, at, fieldPath: fieldOf(container) });
  const backOff =
    judgement.as === 'restarted'
      ? [warn('BackOff', `Back-off restarting failed container ${container} in pod ${idOf(pod)}`)]
      : [];
  switch (cause) {
    case 'Completed':
      return [];
    case 'Error': {
      const { message } = endWords(record, pod.status.phase);
      const what = isStartError(record)
        ? `Error: ${message}`
        : `Container ${container} exited with code ${exitCode ?? 'unknown'}`;
      return [warn('Failed', what), ...backOff];
    }
    case 'OOMKilled':
      return [warn('OOMKilled', `Container ${container} was killed: out of memory`), ...backOff];
    case 'Stopped':
      return [
        killing(
          pod,
          nonce,
          at,
          isStoppedWithJob(record) || isPastDeadline(judgement.why) ? `: ${whyText(judgement.why)}` : '',
        ),
      ];
    case 'Spot':
    case 'Infrastructure':
      return [one(pod, nonce, 'ended', { type: 'Warning', reason: CAUSE_WORDS[cause], message: reason, at })];
    case 'Unplaced':
    case 'StartFailed':
      return startFailureOf(ending) === null
        ? [unscheduled(pod, nonce, reason, at, at)]
        : [warn('Failed', `Error: ${reason}`)];
    default:
      return unreachable(cause);
  }
}

function assigned(pod: PodFacts, nonce: number, taskArn: TaskArn, at: EpochMs): PodOccurrence {
  const { namespace, name } = podSubject(pod);
  const message = `Successfully assigned ${namespace}/${name} to ${nodeOf(taskArn)}`;
  return one(pod, nonce, 'assigned', { type: 'Normal', reason: 'Scheduled', message, at });
}

/** For a running task, ECS reports its main container as running. */
function started(pod: PodFacts, nonce: number, at: EpochMs): readonly PodOccurrence[] {
  const container = mainOf(pod);
  const occurrence = (reason: string, message: string): PodOccurrence =>
    one(pod, nonce, 'runs', { type: 'Normal', reason, message, at, fieldPath: fieldOf(container) });
  return [
    occurrence('Created', `Created container: ${container}`),
    occurrence('Started', `Started container ${container}`),
  ];
}

const killing = (pod: PodFacts, nonce: number, at: EpochMs, why = ''): PodOccurrence =>
  one(pod, nonce, 'stops', {
    type: 'Normal',
    reason: 'Killing',
    message: `Stopping container ${mainOf(pod)}${why}`,
    at,
    fieldPath: fieldOf(mainOf(pod)),
  });

/** One Event of a Pod however often it is refused: only the reason and the time change. */
const unscheduled = (pod: PodFacts, nonce: number, why: string, firstAt: EpochMs, at: EpochMs): PodOccurrence => ({
  type: 'Warning',
  ...waitingEvent(why),
  firstAt,
  at,
  count: 1,
  key: '',
  place: placeOf(pod.attempt, nonce, 'waits'),
});

/** In the scheduler's words, or the kubelet's. */
function waitingEvent(why: string): Pick<PodOccurrence, 'reason' | 'message'> {
  const words = waitingWords(why);
  if (words?.what === 'variable') return { reason: 'Failed', message: `Error: ${words.text}` };
  if (words?.what === 'volume') return { reason: 'FailedMount', message: words.text };
  return { reason: 'FailedScheduling', message: words?.text ?? why };
}

const one = (
  { attempt }: PodFacts,
  nonce: number,
  step: keyof typeof STEPS,
  { at, ...occurrences }: Pick<Occurrence, 'type' | 'reason' | 'message' | 'at' | 'fieldPath'>,
): PodOccurrence => ({
  ...occurrences,
  firstAt: at,
  at,
  count: 1,
  key: String(nonce),
  place: placeOf(attempt, nonce, step),
});

const mainOf = ({ spec }: PodFacts): string => mainContainer(spec.manifest).name;
const fieldOf = (container: string): string => `spec.containers{${container}}`;

/** A Pod in the kubelet's format: `<name>_<namespace>(<uid>)`. */
function idOf(pod: PodFacts): string {
  const { name, namespace, uid } = podSubject(pod);
  return `${name}_${namespace}(${uid})`;
}
