import type { CronStore } from '../ports/cron-store.ts';
import type { DeadLetterStore } from '../ports/dead-letters.ts';
import { FEED_RETENTION_MS, type Feed } from '../ports/feed.ts';
import type { HostStore } from '../ports/host-store.ts';
import type { ItemStore } from '../ports/item-store.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { Limits } from '../ports/limits.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Waiters } from '../ports/waiters.ts';
import { alarms } from './programs/stored-alarms.ts';
import { announced } from './programs/stored-announced.ts';
import { attempts } from './programs/stored-attempts.ts';
import { commits } from './programs/stored-commits.ts';
import { crons } from './programs/stored-crons.ts';
import { deadLetters } from './programs/stored-dead-letters.ts';
import { feed } from './programs/stored-feed.ts';
import { hosts } from './programs/stored-hosts.ts';
import { items } from './programs/stored-items.ts';
import { jobs } from './programs/stored-jobs.ts';
import { launches } from './programs/stored-launches.ts';
import { limits } from './programs/stored-limits.ts';
import { names } from './programs/stored-names.ts';
import { objects } from './programs/stored-kinds.ts';
import { waiters } from './programs/stored-waiters.ts';
import type { Rows } from './rows/row.ts';
import type { Table } from './rows/run.ts';

/** Everything that is stored, by port. */
export type Store = {
  readonly jobs: JobStore;
  readonly feed: Feed;
  readonly limits: Limits;
  readonly objects: ObjectStore;
  readonly deadLetters: DeadLetterStore;
  readonly hosts: HostStore;
  readonly items: ItemStore;
  readonly crons: CronStore;
  readonly waiters: Waiters;
};

export type StoreOptions = Omit<Table, 'rows'> & {
  /** How long rows of a feed can be read; default: two hours. */
  readonly feedRetentionMs?: number;
};

/** The ports of a store over an engine's rows. A new table is empty: not even the namespace `default` is there. */
export function createStore(rows: Rows, { now, newToken, feedRetentionMs = FEED_RETENTION_MS }: StoreOptions): Store {
  const table = { rows, now, newToken };
  return {
    jobs: {
      ...names(table),
      ...jobs(table),
      ...commits(table),
      ...attempts(table),
      ...launches(table),
      ...alarms(table),
      ...announced(table),
    },
    feed: feed(table, feedRetentionMs),
    limits: limits(table),
    objects: objects(table, feedRetentionMs),
    deadLetters: deadLetters(table),
    hosts: hosts(table),
    items: items(table),
    crons: crons(table),
    waiters: waiters(table),
  };
}
