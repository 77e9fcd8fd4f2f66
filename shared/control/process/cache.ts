import type { Chunk } from '../../domain/scoreboard/board.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { LaunchTemplate } from '../../domain/task/task.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { ChunkCache } from '../../store/chunks-at.ts';
import { type ItemCache, createItemCache } from '../../store/read-items.ts';

/** What one process remembers of what it has read or written: chunks by version, specs by revision. Never the truth. */
export type Cache = {
  readonly specs: {
    get(uid: JobUid): StoredSpec | undefined;
    set(uid: JobUid, spec: StoredSpec): void;
  };
  readonly templates: {
    get(uid: JobUid): readonly LaunchTemplate[] | undefined;
    set(uid: JobUid, templates: readonly LaunchTemplate[]): void;
  };
  readonly chunks: ChunkCache;
  readonly items: ItemCache;
  /** For which alarm the sweep has woken an object that makes Jobs last, and when. */
  readonly cronWakes: {
    get(uid: string): CronWake | undefined;
    set(uid: string, wake: CronWake): void;
  };
  /** Jobs that have ended: nothing about them changes any more, but that they are deleted. */
  readonly ended: {
    has(uid: JobUid): boolean;
    add(uid: JobUid): void;
  };
};

type CronWake = { readonly alarmAt: EpochMs; readonly at: EpochMs };

/** A Job of a million indexes has 245 chunks of about 20 KB each. */
const CHUNKS_MAX = 512;
const SPECS_MAX = 512;
const CRON_WAKES_MAX = 20_000;
const ENDED_MAX = 100_000;

export function createCache(): Cache {
  const cronWakes = new Map<string, CronWake>();
  const ended = new Map<JobUid, true>();
  const specs = new Map<JobUid, StoredSpec>();
  const templates = new Map<JobUid, readonly LaunchTemplate[]>();
  const chunks = new Map<string, { version: number; chunk: Chunk }>();
  return {
    specs: {
      get: (uid) => specs.get(uid),
      set: (uid, spec) => put(specs, uid, spec, SPECS_MAX),
    },
    templates: {
      get: (uid) => templates.get(uid),
      set: (uid, all) => put(templates, uid, all, SPECS_MAX),
    },
    items: createItemCache(),
    cronWakes: {
      get: (uid) => cronWakes.get(uid),
      set: (uid, wake) => put(cronWakes, uid, wake, CRON_WAKES_MAX),
    },
    ended: {
      has: (uid) => ended.has(uid),
      add: (uid) => put(ended, uid, true, ENDED_MAX),
    },
    chunks: {
      get: (uid, no, version) => {
        const entry = chunks.get(`${uid}/${no}`);
        return entry?.version === version ? entry.chunk : undefined;
      },
      set: (uid, no, version, chunk) => put(chunks, `${uid}/${no}`, { version, chunk }, CHUNKS_MAX),
    },
  };
}

/** A Map keeps insertion order: the first key is the one written longest ago. */
function put<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > max && oldest.done !== true) map.delete(oldest.value);
}
