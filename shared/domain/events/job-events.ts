import type { JobIdentity, JobSpec } from '../manifests/job.ts';
import { waitingText } from '../scoreboard/status-document.ts';
import { podName } from '../task/pod-name.ts';
import { EVENTS_MAX, type JobEvent, type Status, isSuspended, tally } from '../scoreboard/status.ts';

/** Names a Pod of a Job. */
export type PodRef = { readonly index: number; readonly attempt: number };

type Owner = JobIdentity & {
  readonly spec: Pick<JobSpec, 'completionMode' | 'completions' | 'suspend'>;
  readonly suspendSetBy?: string;
};

/**
 * What one commit makes known about a Job, in the words and the order of Kubernetes' Job controller (kubernetes-job.md 3.2):
 * what it did about Pods, then suspend and resume, then the verdict, once it is final.
 *
 * @param before null: the commit has created the Job
 * @param created Pods that this commit has claimed
 * @param deleted Pods that it wants to end
 */
export function jobEvents(
  before: Status | null,
  after: Status,
  job: Owner,
  created: readonly PodRef[],
  deleted: readonly PodRef[],
): readonly JobEvent[] {
  const owner = { uid: job.uid, name: job.name, completionMode: job.spec.completionMode };
  const about = (reason: string, verb: string, pods: readonly PodRef[]): readonly JobEvent[] =>
    pods.map(({ index, attempt }) => normal(reason, `${verb} pod: ${podName(owner, index, attempt)}`));
  return [
    ...about('SuccessfulDelete', 'Deleted', deleted),
    ...about('SuccessfulCreate', 'Created', created),
    ...refusal(before, after),
    ...achievement(before, after),
    ...suspension(before, after, job),
    ...regrouping(before, after),
    ...verdict(before, after, job.spec.completions),
  ];
}

/** `after`, with what it makes known about the Job itself added to its events; a repeated event is counted. */
export function withJobEvents(before: Status | null, after: Status, job: Owner): Status {
  const events = jobEvents(before, after, job, [], []);
  return events.reduce((next, event) => withEvent(next, event), after);
}

/** `status`, with this event added; a repeated event is counted. */
export function withEvent(status: Status, event: JobEvent, times = 1): Status {
  const { version, now: at } = status;
  const again = status.events.find(({ reason, message }) => reason === event.reason && message === event.message);
  const others = status.events.filter((each) => each !== again);
  const entry = { ...event, version, at, firstAt: again?.firstAt ?? at, count: (again?.count ?? 0) + times };
  return { ...status, events: [...others, entry].slice(-EVENTS_MAX) };
}

/**
 * The same for what might push out all other Events: of those with its reason, the newest stay.
 *
 * @param max how many of them
 */
export function withFew(max: number, status: Status, event: JobEvent, times = 1): Status {
  const alike = status.events.filter(({ reason, message }) => reason === event.reason && message !== event.message);
  const old = new Set(alike.slice(0, Math.max(0, alike.length - max + 1)));
  return withEvent({ ...status, events: status.events.filter((each) => !old.has(each)) }, event, times);
}

function suspension(before: Status | null, after: Status, { spec, suspendSetBy }: Owner): readonly JobEvent[] {
  const was = before?.phase ?? null;
  if (after.phase.kind === 'suspended') {
    if (after.phase.held !== true) {
      // Without the field, it only waits for a moment.
      const suspended = normal('Suspended', `Job suspended${spec.suspend ? by(suspendSetBy) : ''}`);
      return isSuspended(was) ? [] : [suspended];
    }
    return was?.kind === 'suspended' && was.held === true
      ? []
      : [normal('WaitingForJobs', `Job ${waitingText(after)}`)];
  }
  if (was?.kind === 'suspended' && was.held === true && after.phase.kind === 'running')
    return [normal('JobsAreDone', 'The Jobs that it waited for let it start')];
  const resumed = after.resumedAt !== null && after.resumedAt !== (before?.resumedAt ?? null);
  return resumed ? [normal('Resumed', `Job resumed${by(suspendSetBy)}`)] : [];
}

/** Kubernetes' words stay as they are, at the beginning. */
const by = (user: string | undefined): string => (user === undefined ? '' : ` by ${user}`);

/** Kubernetes knows no such moment: there, the Pods are stopped. */
const achievement = (before: Status | null, { achieved }: Status): readonly JobEvent[] =>
  achieved === null || (before !== null && before.achieved !== null)
    ? []
    : [normal('SuccessCriteriaMet', `${achieved.verdict.message}; its Pods go on`)];
/** Not all indexes that belong together ran in time. */
const regrouping = (before: Status | null, { phase }: Status): readonly JobEvent[] =>
  phase.kind !== 'regrouping' || before?.phase.kind === 'regrouping'
    ? []
    : [warning('GangTimeout', `${phase.message}; all are stopped and start again`)];

/** RunTask will always refuse: reported once, with the verdict that follows. */
function refusal(before: Status | null, after: Status): readonly JobEvent[] {
  const message = refusalOf(after);
  const isOld = before !== null && refusalOf(before) !== null;
  return message === null || isOld ? [] : [warning('FailedCreate', `Error creating: ${message}`)];
}

const refusalOf = ({ phase }: Status): string | null =>
  'verdict' in phase && phase.verdict.reason === 'LaunchRefused' ? phase.verdict.message : null;

/** Reported with the terminal condition, not with the interim one. */
function verdict(before: Status | null, { phase, chunks }: Status, completions: number | null): readonly JobEvent[] {
  if (phase.kind !== 'finished' || before?.phase.kind === 'finished') return [];
  const { kind, reason, message } = phase.verdict;
  if (kind === 'failed') return [warning(reason, message)];
  const surplus = completions !== null && tally(chunks).succeeded > completions;
  const tooMany = 'Too many succeeded pods running after completion count reached';
  return [...(surplus ? [warning('TooManySucceededPods', tooMany)] : []), normal('Completed', 'Job completed')];
}

export const normal = (reason: string, message: string): JobEvent => ({ type: 'Normal', reason, message });
export const warning = (reason: string, message: string): JobEvent => ({ type: 'Warning', reason, message });
