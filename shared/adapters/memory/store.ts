import type { EpochMs } from '../../domain/brand.ts';
import type { ToldPart } from '../../domain/told-pods.ts';
import type { LetterFile } from '../../ports/dead-letters.ts';
import type { Feed, FeedMark } from '../../ports/feed.ts';
import type { HostStore } from '../../ports/host-store.ts';
import type { JobStore } from '../../ports/job-store.ts';
import type { Limits } from '../../ports/limits.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { ExpiringMap } from './expiring-map.ts';
import { createMemoryFeed } from './feed.ts';
import { createMemoryHosts } from './host-store.ts';
import { createMemoryJobStore } from './job-store.ts';
import { createMemoryLetters } from './letters.ts';
import { createMemoryLimits } from './limits.ts';
import { createMemoryObjects } from './objects.ts';

/**
 * Everything that is stored, in this process's memory: for simulation, tests, and machines without the DynamoDB engine.
 * Rows vanish by `now`. The store is empty: not even the namespace `default` is there.
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
  readonly letters: LetterFile;
  readonly hosts: HostStore;
} {
  const marks = new ExpiringMap<FeedMark>(now);
  const parts = new ExpiringMap<ToldPart>(now);
  const objects = createMemoryObjects(now, feedRetentionMs);
  return {
    objects,
    jobs: createMemoryJobStore(marks, parts, objects, now),
    feed: createMemoryFeed(marks, parts, now, feedRetentionMs),
    limits: createMemoryLimits(),
    letters: createMemoryLetters(now),
    hosts: createMemoryHosts(now),
  };
}
