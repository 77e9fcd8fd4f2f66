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
  'ended between two tasks',
  'ended out of range',
  'ended after its Pod was deleted',
  // how Jobs ended
  'CompletionsReached',
  'SuccessPolicy',
  'BackoffLimitExceeded',
  'DeadlineExceeded',
  'PodFailurePolicy',
  'MaxFailedIndexesExceeded',
  'FailedIndexes',
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
  // changes of state
  'announced',
  'announced again',
  // a record in Cloud Map
  'named',
] as const;
export type Sight = (typeof SIGHTS)[number];

const isSight = (word: string): word is Sight => (SIGHTS as readonly string[]).includes(word);

export class Sights {
  readonly counts = new Map<Sight, number>();

  /** Counts those words that are sights. */
  see(...words: readonly string[]): void {
    for (const word of words) if (isSight(word)) this.counts.set(word, (this.counts.get(word) ?? 0) + 1);
  }
}
