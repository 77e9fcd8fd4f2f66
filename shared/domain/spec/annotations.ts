import { parseGoDuration } from '../base/go-duration.ts';
import { type EpochMs, asEpochMs } from '../base/time.ts';

/** What Muster adds to Kubernetes' names, all under one prefix. */
const PREFIX = 'muster.run/';

export const ANNOTATIONS = {
  /** On a Job: what an attempt lost to infrastructure costs; see {@link parseDisruptions}. */
  disruptions: `${PREFIX}disruptions`,
  /** On a Job: seconds after which a Pod that cannot start (image, secret, parameter) counts as failed. */
  pendingTimeout: `${PREFIX}pending-timeout-seconds`,
  /** On a Job: its work list, inline: a line of columns, then a line for each item. */
  items: `${PREFIX}items`,
  /** On a Job: the name of its WorkList. */
  workList: `${PREFIX}work-list`,
  /** On a Job: how many items each index gets; see {@link parseBatch}. */
  batch: `${PREFIX}batch`,
  /** On a Job with a work list: columns say what each item's task needs; see {@link parseFlag}. */
  resourcesFromItems: `${PREFIX}resources-from-items`,
  /** On a Job with a work list: a column says which image each item runs in; see {@link parseFlag}. */
  imageFromItems: `${PREFIX}image-from-items`,
  /** On a Job, set by the server: the WorkList's content that it was created with. */
  pinnedItems: `${PREFIX}pinned-items`,
  /** On an Indexed Job: only these of its indexes run. */
  indexes: `${PREFIX}indexes`,
  /** On an Indexed Job: the name of the Job that it repeats; what has succeeded there does not run again. */
  rerunOf: `${PREFIX}rerun-of`,
  /** On a Job: a Step Functions task token, which is answered when the Job ends; see {@link isTaskToken}. */
  taskToken: `${PREFIX}task-token`,
  /** On a Job with `backoffLimitPerIndex`: seconds that an index waits after each failure, instead of more and more. */
  retryDelay: `${PREFIX}retry-delay-seconds`,
  /** On a Job: seconds after which a Pod that does not run yet counts as failed, whatever it waits for. */
  startTimeout: `${PREFIX}start-timeout-seconds`,
  /** On a Job with `backoffLimitPerIndex`: how long all attempts of an index may take together; see {@link parseDeadline}. */
  indexDeadline: `${PREFIX}index-deadline`,
  /** On a Job: it does not start before this moment. */
  startAfter: `${PREFIX}start-after`,
  /** On a Job: it is stopped at this moment, and has failed. */
  killAt: `${PREFIX}kill-at`,
  /** On a Job with a success policy: that decides before failed indexes do; see {@link parseFlag}. */
  successFirst: `${PREFIX}success-first`,
  /** On a Job: the Jobs that it starts after; see parseAfter. */
  after: `${PREFIX}after`,
  /** On an Indexed Job: the Jobs whose indexes each of its own starts after; see parseAfterIndexes. */
  afterIndexes: `${PREFIX}after-indexes`,
  /** On a Job: the share of its completions that is enough, in per cent; see parseShare. */
  successPercent: `${PREFIX}success-percent`,
  /** On a Job: how many successes are enough. */
  successCount: `${PREFIX}success-count`,
  /** On a Job with a success policy: the reason of its end, or one for each rule; see parseReasons. */
  successReason: `${PREFIX}success-reason`,
  /** On a Job with a success policy: the message of its end. */
  successMessage: `${PREFIX}success-message`,
  /** On a Job with a success policy: what becomes of its other Pods; see WHEN_ACHIEVED. */
  whenAchieved: `${PREFIX}when-criteria-achieved`,
  /** On a Job with `backoffLimitPerIndex`: the share of its completions that may fail, in per cent; see parseShare. */
  maxFailedPercent: `${PREFIX}max-failed-percent`,
  /** On an Indexed Job with a subdomain: `all`, its indexes run together or not at all; see {@link parseGang}. */
  gang: `${PREFIX}gang`,
  /** On such a Job: seconds within which all of them must run, from the first claim; see {@link parsePendingTimeout}. */
  gangTimeout: `${PREFIX}gang-timeout-seconds`,
  /** On such a Job: how often all are stopped and started again, before the Job fails; see {@link parseGangRestarts}. */
  gangRestarts: `${PREFIX}gang-restarts`,
  /** On a Job: its work list, as a matrix whose combinations are the items. */
  matrix: `${PREFIX}matrix`,
  /** On a CronJob: which missed slots get their Job later, `none`, `last`, or `all`. */
  catchUp: `${PREFIX}catch-up`,
  /** On a CronJob: each slot's Job is created up to so many seconds later. */
  jitterSeconds: `${PREFIX}jitter-seconds`,
  /** On a CronJob: an object that is created in such a place of S3 makes a Job of its template; see parseObjectPattern. */
  onObjectCreated: `${PREFIX}on-object-created`,
  /** On a Pod: its item, as a line. */
  item: `${PREFIX}item`,
  /** On a Pod: the task's ARN, to look it up in ECS. */
  taskArn: `${PREFIX}task-arn`,
  /** On a Pod: what ECS reported about its end. */
  cause: `${PREFIX}cause`,
  /** On a Pod: what its end counted as, and because of which rule. */
  verdict: `${PREFIX}verdict`,
} as const;

/** The condition of a Job that waits for other Jobs. */
export const HELD_CONDITION = `${PREFIX}held`;

/** On a Job that a message made: the CronJob or Job whose template it has. */
export const SUBMITTED_FROM_LABEL = `${PREFIX}submitted-from`;

/** On a Pod: its item's hash, to select it by. */
export const ITEM_HASH_LABEL = `${PREFIX}item-hash`;

/** In a pod template's nodeSelector: `spot` or `on-demand`. */
export const CAPACITY_SELECTOR = `${PREFIX}capacity`;

/** What an attempt that infrastructure took costs. */
export type Disruptions =
  /** Exactly as in Kubernetes: it counts as failed unless podFailurePolicy ignores it. */
  | { readonly kind: 'count' }
  | {
      readonly kind: 'budget';
      /** Attempts of one index that may be lost before a loss counts as failed. */
      readonly losses: number;
      /** Spot interruptions of one index after which it runs on demand. */
      readonly spotInterruptions: number;
    };

export const DEFAULT_DISRUPTIONS = { kind: 'budget', losses: 10, spotInterruptions: 3 } as const satisfies Disruptions;
export const DEFAULT_PENDING_TIMEOUT_SEC = 900;
/** A hundred names take 20 s, and a task's start one or two minutes: ten minutes are for what is out of the ordinary. */
export const DEFAULT_GANG_TIMEOUT_SEC = 600;
export const DEFAULT_GANG_RESTARTS = 3;

/** Parses the annotation: `count`, or `losses=10,spot-interruptions=3` (either part may be omitted). null: any other text. */
export function parseDisruptions(text: string): Disruptions | null {
  if (text === 'count') return { kind: 'count' };
  let losses: number = DEFAULT_DISRUPTIONS.losses;
  let spotInterruptions: number = DEFAULT_DISRUPTIONS.spotInterruptions;
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [, name, digits] = /^(losses|spot-interruptions)=(\d{1,4})$/.exec(part) ?? [];
    if (name === undefined || seen.has(name)) return null;
    seen.add(name);
    if (name === 'losses') losses = Number(digits);
    else spotInterruptions = Number(digits);
  }
  return { kind: 'budget', losses, spotInterruptions };
}

/** Parses a number of seconds above zero; null: any other text. */
export function parsePendingTimeout(text: string): number | null {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}

/** Parses a number of seconds, which may be zero; null: any other text. */
export function parseRetryDelay(text: string): number | null {
  return /^(?:0|[1-9]\d{0,6})$/.test(text) ? Number(text) : null;
}

/** A year: longer than any index should take, and short enough for every clock. */
const DEADLINE_MAX_SEC = 31_536_000;

/** Parses a duration as Go writes it (`90m`, `1h30m`) into whole seconds, from 1 second to a year; null: any other text. */
export function parseDeadline(text: string): number | null {
  const parsed = parseGoDuration(text);
  const sec = parsed.kind === 'ok' ? parsed.seconds : 0;
  return Number.isInteger(sec) && sec >= 1 && sec <= DEADLINE_MAX_SEC ? sec : null;
}

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses a moment as RFC 3339 writes it, with `T` and an offset, on a day that exists; null: any other text. */
export function parseMoment(text: string): EpochMs | null {
  const [whole, year, month, day] = RFC_3339.exec(text) ?? [];
  if (whole === undefined) return null;
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isDay = midnight.getUTCMonth() + 1 === Number(month) && midnight.getUTCDate() === Number(day);
  const at = Date.parse(whole);
  return isDay && !Number.isNaN(at) ? asEpochMs(at) : null;
}

/** Parses `true` or `false`; null: any other text. */
export const parseFlag = (text: string): boolean | null => (text === 'true' ? true : text === 'false' ? false : null);

/** Parses which indexes belong together, which is all of them; null: any other text. */
export const parseGang = (text: string): 'all' | null => (text === 'all' ? text : null);

/** Parses a number of restarts, which may be zero; null: any other text. */
export function parseGangRestarts(text: string): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}

/** Step Functions' own limit is 2,048 characters; whatever they are, they are visible ones. */
export const isTaskToken = (text: string): boolean => /^[!-~]{1,2048}$/.test(text);

/** Items of one index: what a task may get in one launch is limited anyway. */
const BATCH_MAX = 1_000;

/** Parses a number of items, from 2 up; null: any other text. */
export function parseBatch(text: string): number | null {
  const batch = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  return batch >= 2 && batch <= BATCH_MAX ? batch : null;
}
