import { type IndexSet, intervalsWithin } from '../../../domain/base/index-set.ts';
import { shortItem } from '../../../domain/base/shown-index.ts';
import { asTime } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { Judgement } from '../../../domain/planner/plan.ts';
import { statusDocument } from '../../../domain/scoreboard/status-document.ts';
import { type JobState, type StateChange, type Status, endOf, shownReason } from '../../../domain/scoreboard/status.ts';
import { whyText } from '../../../domain/scoreboard/why.ts';
import type { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import { ANNOTATIONS, isTaskToken } from '../../../domain/manifests/annotations.ts';
import type { JobIdentity } from '../../../domain/manifests/job.ts';
import type { JobCondition, JobManifest, JobStatusDocument, Labels } from '../../../domain/manifests/manifest.ts';

/** One change of a Job's state, as others hear of it. */
export type Announcement = {
  /** The same whenever this change is announced, and no other's. */
  readonly id: string;
  readonly uid: JobUid;
  /** STATUS's, of the commit that made the change. */
  readonly version: number;
  readonly detail: ChangeDetail;
  /** For Step Functions and nobody else: who has it may answer in the Job's place. null: nobody waits for an answer. */
  readonly taskToken: string | null;
};

/** The detail of a `Muster Job State Change`. Lists of indexes and labels are cut where they are long. */
export type ChangeDetail = {
  readonly id: string;
  readonly state: JobState;
  /** When it changed, RFC 3339. */
  readonly time: string;
  readonly version: number;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly labelsCut?: true;
  /** The CronJob that created it. */
  readonly owner?: { readonly kind: string; readonly name: string; readonly uid: string };
  readonly completionMode: 'Indexed' | 'NonIndexed';
  readonly completions?: number;
  readonly parallelism: number;
  /** Why it has ended: reason and message of its condition Complete or Failed. */
  readonly reason?: string;
  readonly message?: string;
  /** As `kubectl get -o json` shows it when the change is announced: as it was then, or later. */
  readonly status: AnnouncedStatus;
  readonly indexesCut?: true;
  /** Of the first indexes that have failed. */
  readonly failures?: readonly IndexFailure[];
};

type AnnouncedStatus = Omit<JobStatusDocument, 'conditions' | 'uncountedTerminatedPods'> & {
  readonly conditions: readonly Pick<JobCondition, 'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime'>[];
};

export type IndexFailure = {
  readonly index: number;
  /** On what it works, cut if it is long. */
  readonly item?: string;
  readonly exitCode?: number;
  readonly message?: string;
};

/** What is known of an index that has failed. */
export type KnownFailure = {
  readonly index: number;
  readonly item: string | null;
  readonly exitCode: number | null;
  readonly judgement: Judgement | null;
};

/** What rules of EventBridge match it by. */
export const EVENT_SOURCE = 'muster';
export const EVENT_TYPE = 'Muster Job State Change';

/** An announcement in the envelope that EventBridge gives it, without what only AWS knows. */
export const eventOf = ({ id, detail }: Announcement) => ({
  version: '0',
  id,
  'detail-type': EVENT_TYPE,
  source: EVENT_SOURCE,
  time: detail.time,
  resources: [],
  detail,
});

/** A Job as it is announced. `board`: with the chunks that its status depends on. */
export type AnnouncedJob = {
  readonly identity: JobIdentity;
  readonly manifest: JobManifest;
  readonly status: Status;
  readonly board: WorkingBoard;
  readonly failures: readonly KnownFailure[];
};

export function announcementOf(change: StateChange, job: AnnouncedJob): Announcement {
  const { uid } = job.identity;
  const token = job.manifest.metadata.annotations?.[ANNOTATIONS.taskToken] ?? '';
  const id = announcementId(uid, change);
  return {
    id,
    uid,
    version: change.version,
    detail: detailOf(id, change, job),
    taskToken: isTaskToken(token) ? token : null,
  };
}

/** No two commits of a Job have one version, and one commit makes one change at most. */
const announcementId = (uid: JobUid, { version }: Pick<StateChange, 'version'>): string => `${uid}/${version}`;

function detailOf(id: string, change: StateChange, job: AnnouncedJob): ChangeDetail {
  const { identity, manifest, failures } = job;
  const { ownerReferences = [], labels = {} } = manifest.metadata;
  const { completionMode, completions, parallelism } = manifest.spec;
  const owner = ownerReferences.find(({ kind, controller }) => kind === 'CronJob' && controller === true);
  const verdict = endOf(job.status.phase)?.verdict;
  const { status, isCut } = statusOf(job);
  const shown = withinChars(labels);
  return {
    id,
    state: change.state,
    time: asTime(change.at),
    version: change.version,
    namespace: identity.namespace,
    name: identity.name,
    uid: identity.uid,
    labels: shown,
    ...(Object.keys(shown).length < Object.keys(labels).length ? { labelsCut: true } : {}),
    ...(owner === undefined ? {} : { owner: { kind: owner.kind, name: owner.name, uid: owner.uid } }),
    completionMode,
    ...(completions === undefined ? {} : { completions }),
    parallelism,
    ...(verdict === undefined ? {} : { reason: shownReason(verdict), message: cut(verdict.message, TEXT_CHARS_MAX) }),
    status,
    ...(isCut ? { indexesCut: true } : {}),
    ...(failures.length === 0 ? {} : { failures: failures.map(failureOf) }),
  };
}

/** EventBridge takes 256 KB an event, Step Functions as much; rules and people read far less. */
const INDEXES_CHARS_MAX = 4_096;
const LABELS_CHARS_MAX = 8_192;
const TEXT_CHARS_MAX = 1_024;
const ITEM_COLUMNS_MAX = 100;

function statusOf({ manifest, status, board }: AnnouncedJob) {
  const {
    conditions = [],
    uncountedTerminatedPods: _none,
    ...counts
  } = statusDocument({
    spec: manifest.spec,
    status,
    board,
  });
  const { completedIndexes, failedIndexes } = counts;
  const [completed, failed] = [cutIndexes(completedIndexes), cutIndexes(failedIndexes)];
  const shown: AnnouncedStatus = {
    ...counts,
    ...(completed === undefined ? {} : { completedIndexes: completed }),
    ...(failed === undefined ? {} : { failedIndexes: failed }),
    conditions: conditions.map(({ lastProbeTime: _probed, message = '', ...condition }) => ({
      ...condition,
      message: cut(message, TEXT_CHARS_MAX),
    })),
  };
  return { status: shown, isCut: completed !== completedIndexes || failed !== failedIndexes };
}

/** Whole intervals only: half a number would be another index. */
function cutIndexes(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= INDEXES_CHARS_MAX) return text;
  return text.slice(0, text.lastIndexOf(',', INDEXES_CHARS_MAX));
}

function withinChars(labels: Labels): Labels {
  let left = LABELS_CHARS_MAX;
  return Object.fromEntries(
    Object.entries(labels).filter(([key, value]) => {
      left -= key.length + value.length;
      return left >= 0;
    }),
  );
}

const failureOf = ({ index, item, exitCode, judgement }: KnownFailure): IndexFailure => ({
  index,
  ...(item === null ? {} : { item: shortItem(item, ITEM_COLUMNS_MAX) }),
  ...(exitCode === null ? {} : { exitCode }),
  ...(judgement === null ? {} : { message: cut(whyText(judgement.why), TEXT_CHARS_MAX) }),
});

const cut = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;

/** Indexes whose failures an announcement names. */
const FAILURES_MAX = 5;

/** The first indexes that have failed for good; in a Job without limits for each of them, the one that decided. */
export function failuresToName(failed: IndexSet, { phase, size }: Status): readonly number[] {
  const first: number[] = [];
  for (const [from, after] of intervalsWithin(failed, 0, size))
    for (let index = from; index < after && first.length < FAILURES_MAX; index++) first.push(index);
  const verdict = endOf(phase)?.verdict;
  const decided = verdict?.kind === 'failed' ? verdict.decidedBy : null;
  return first.length > 0 || decided === null ? first : [decided];
}
