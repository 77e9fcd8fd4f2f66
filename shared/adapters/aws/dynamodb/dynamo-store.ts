import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EpochMs } from '../../../domain/base/time.ts';
import type { DeadLetterStore } from '../../../ports/dead-letters.ts';
import type { CronStore } from '../../../ports/cron-store.ts';
import type { Feed } from '../../../ports/feed.ts';
import type { HostStore } from '../../../ports/host-store.ts';
import type { ItemStore } from '../../../ports/item-store.ts';
import type { JobStore } from '../../../ports/job-store.ts';
import type { Limits } from '../../../ports/limits.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import type { Waiters } from '../../../ports/waiters.ts';
import { alarms } from './dynamo-alarms.ts';
import { announced } from './dynamo-announced.ts';
import { attempts } from './dynamo-attempts.ts';
import { commits } from './dynamo-commit.ts';
import { crons } from './dynamo-crons.ts';
import { feed } from './dynamo-feed.ts';
import { hosts } from './dynamo-hosts.ts';
import { items } from './dynamo-items.ts';
import { jobs } from './dynamo-jobs.ts';
import { launches } from './dynamo-launches.ts';
import { deadLetters } from './dynamo-dead-letters.ts';
import { limits } from './dynamo-limits.ts';
import { names } from './dynamo-names.ts';
import { objects } from './objects/dynamo-objects.ts';
import { waiters } from './dynamo-waiters.ts';
import type { Table } from './dynamo-write.ts';

export type DynamoStoreOptions = {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** The clock by which expired rows are hidden. */
  readonly now: () => EpochMs;
  /** How long rows of the feed can be read; default: two hours. */
  readonly feedRetentionMs?: number;
  /** Names of writes, each used once; default: 96 random bits. */
  readonly newToken?: () => string;
  /** How it waits before it retries a lost race for a feed's head; default: a timer. */
  readonly sleep?: (ms: number) => Promise<unknown>;
};

/** Everything that is stored, in one existing DynamoDB table (see `createTable`). */
export function createDynamoStore(options: DynamoStoreOptions): {
  readonly jobs: JobStore;
  readonly feed: Feed;
  readonly limits: Limits;
  readonly objects: ObjectStore;
  readonly deadLetters: DeadLetterStore;
  readonly hosts: HostStore;
  readonly items: ItemStore;
  readonly crons: CronStore;
  readonly waiters: Waiters;
} {
  const table: Table = {
    client: options.client,
    name: options.tableName,
    now: options.now,
    newToken: options.newToken ?? (() => randomBytes(12).toString('base64url')),
    sleep: options.sleep ?? ((ms) => sleep(ms)),
  };
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
    feed: feed(table, options.feedRetentionMs),
    limits: limits(table),
    objects: objects(table, options.feedRetentionMs),
    deadLetters: deadLetters(table),
    hosts: hosts(table),
    items: items(table),
    crons: crons(table),
    waiters: waiters(table),
  };
}
