/** What Muster adds to Kubernetes' names, all under one prefix. */
const PREFIX = 'muster.run/';

export const ANNOTATIONS = {
  /** On a Job: what an attempt lost to infrastructure costs; see {@link parseDisruptions}. */
  disruptions: `${PREFIX}disruptions`,
  /** On a Job: seconds after which a Pod that cannot start (image, secret, log group) counts as failed. */
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

/** Parses `true` or `false`; null: any other text. */
export const parseFlag = (text: string): boolean | null => (text === 'true' ? true : text === 'false' ? false : null);

/** Step Functions' own limit is 2,048 characters; whatever they are, they are visible ones. */
export const isTaskToken = (text: string): boolean => /^[!-~]{1,2048}$/.test(text);

/** Items of one index: what a task may get in one launch is limited anyway. */
const BATCH_MAX = 1_000;

/** Parses a number of items, from 2 up; null: any other text. */
export function parseBatch(text: string): number | null {
  const batch = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  return batch >= 2 && batch <= BATCH_MAX ? batch : null;
}
