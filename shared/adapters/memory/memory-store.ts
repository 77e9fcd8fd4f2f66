import type { EpochMs } from '../../domain/base/time.ts';
import type { PublishedPart } from '../../domain/scoreboard/published-pods.ts';
import type { DeadLetterStore } from '../../ports/dead-letters.ts';
import type { CronStore } from '../../ports/cron-store.ts';
import type { Feed, FeedMark } from '../../ports/feed.ts';
import type { HostStore } from '../../ports/host-store.ts';
import type { ItemStore } from '../../ports/item-store.ts';
import type { JobStore } from '../../ports/job-store.ts';
import type { Limits } from '../../ports/limits.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Waiters } from '../../ports/waiters.ts';
import { ExpiringMap } from './expiring-map.ts';
import { createMemoryCrons } from './memory-crons.ts';
import { createMemoryFeed } from './memory-feed.ts';
import { createMemoryHosts } from './memory-hosts.ts';
import { createMemoryItems } from './memory-items.ts';
import { createMemoryJobStore } from './memory-jobs.ts';
import { createMemoryDeadLetters } from './memory-dead-letters.ts';
import { createMemoryLimits } from './memory-limits.ts';
import { createMemoryObjects } from './memory-objects.ts';
import { createMemoryWaiters } from './memory-waiters.ts';

/**
 * Everything that is stored, in this process's memory: for simulation, tests, and machines without the DynamoDB engine. Rows
 * expire by `now`. The store is empty: not even the namespace `default` exists.
 */
export function createMemoryStore({
  now,
  feedRetentionMs,
}: {
  readonly now: () => EpochMs;
  readonly feedRetentionMs?: number;
}): {
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
  const marks = new ExpiringMap<FeedMark>(now);
  const parts = new ExpiringMap<PublishedPart>(now);
  const objects = createMemoryObjects(now, feedRetentionMs);
  return {
    objects,
    jobs: createMemoryJobStore(marks, parts, objects, now),
    feed: createMemoryFeed(marks, parts, now, feedRetentionMs),
    limits: createMemoryLimits(),
    deadLetters: createMemoryDeadLetters(now),
    hosts: createMemoryHosts(now),
    items: createMemoryItems(now),
    crons: createMemoryCrons(),
    waiters: createMemoryWaiters(now),
  };
}
