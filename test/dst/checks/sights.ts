/** What the seeds must have come across, by the name under which a run counts it: else they would prove little. */
export const SIGHTS = [
  // what the end of an attempt came to
  'succeeded',
  'failed',
  'failedForGood',
  'ignored',
  'lost',
  'lostToSpot',
  'released',
  'restart',
  'unstarted',
  'replaced',
  'removed',
  'ended between two tasks',
  'ended out of range',
  // before its task was STOPPED
  'counted early',
  'ended after its Pod was deleted',
  // a Pod that has not started in time
  'overdue',
  // what users do to single indexes, and deadlines
  'held',
  'let go',
  'cancelled',
  'cancelled while it ran',
  'requeued',
  'tried again after it had failed for good',
  'late',
  'late index',
  'late index without a Pod',
  // how Jobs ended
  'CompletionsReached',
  'SuccessPolicy',
  'BackoffLimitExceeded',
  'DeadlineExceeded',
  'PodFailurePolicy',
  'MaxFailedIndexesExceeded',
  'FailedIndexes',
  'Killed',
  'DependencyFailed',
  'GangTimeout',
  'own reason',
  // success criteria that are met while Pods go on, and what fails after that
  'achieved',
  'failed after success',
  'outlived',
  // what RunTask denied, and the board took for its own
  'adopted',
  // Jobs in which not every index runs
  'inherited',
  'excluded',
  // Jobs of CronJobs
  'slot',
  'slot after a replaced one',
  'slot forbidden',
  // Jobs and indexes that wait for others
  'waited for Jobs',
  'index waited for',
  // indexes that belong together
  'gang whole',
  'gang started again',
  'gang named',
  // changes of state
  'announced',
  'announced again',
  // a record in Cloud Map
  'named',
] as const;
export type Sight = (typeof SIGHTS)[number];

const KNOWN: ReadonlySet<string> = new Set(SIGHTS);

export class Sights {
  readonly counts = new Map<string, number>();
  readonly #more: readonly string[];

  /** `more`: those of a play. */
  constructor(more: readonly string[] = []) {
    this.#more = more;
  }

  /** Counts those words that are sights. */
  see(...words: readonly string[]): void {
    for (const word of words)
      if (KNOWN.has(word) || this.#more.includes(word)) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }
}
