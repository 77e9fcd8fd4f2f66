import type { Deps } from '../../../../control/process/deps.ts';
import { type EpochMs, plusMs } from '../../../../domain/base/time.ts';
import { createStorageCommands, sweepStorage } from '../../control/index.ts';
import { claimIn, volumeIn } from '../../domain/storage-objects.ts';
import { createJob } from '../../../../control/lifecycle/job-changes.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import type { StoredObject } from '../../../../ports/object-store.ts';
import { allObjects } from '../../../../store/every-object.ts';
import type { Random } from '../../../../../test/dst/random.ts';
import { ALL } from '../../../../../test/dst/story.ts';
import type { Arrangement } from '../../../../../test/dst/world/scenario-events.ts';
import { START, type World } from '../../../../../test/dst/world/world.ts';
import { claimByLuck, volumeByLuck } from './seed-storage.ts';
import type { StorageWatch } from './storage-watch.ts';

/** What people do with storage, and in no other seed. */
export const STORAGE_ACTS = ['claim made', 'claim deleted', 'volume made', 'volume deleted', 'volume freed'] as const;
type StorageAct = (typeof STORAGE_ACTS)[number];

export const STORAGE_STORM_MS = 20 * 60_000;
const MINUTE_MS = 60_000;
const MOMENT_MS = 3_000;

type Wish = {
  readonly random: Random;
  readonly world: World;
  readonly watch: StorageWatch;
  readonly did: (act: string) => void;
};

/**
 * People make volumes and claims, several at the same moment, and delete them; they free volumes whose claims are gone. Each request
 * is a handler of its own, which may die anywhere. A sweep looks every minute.
 */
export function arrangeStorage(jobs: readonly StoredSpec[], { random, world, watch, did }: Wish): Arrangement {
  const people = new StorageUsers(world, watch, random);
  for (const spec of jobs) people.createJob(spec);
  const moments = random.pick([1, 4, 40]);
  const count = random.between(20, 60);
  for (let no = 0; no < count; no++) {
    const act: StorageAct = random.pick([
      'claim made',
      'claim made',
      'volume made',
      'volume made',
      'claim deleted',
      'claim deleted',
      'volume deleted',
      'volume freed',
    ]);
    // Several at once: they meet at the same volumes.
    world.schedule(plusMs(START, random.between(0, moments) * MOMENT_MS), () => {
      did(act);
      people.act(act, no);
    });
  }
  people.sweep();
  return { over: START + STORAGE_STORM_MS + 1, count: 0 };
}

class StorageUsers {
  readonly #world: World;
  readonly #watch: StorageWatch;
  readonly #random: Random;

  constructor(world: World, watch: StorageWatch, random: Random) {
    this.#world = world;
    this.#watch = watch;
    this.#random = random;
  }

  /** Until it is there. */
  createJob(spec: StoredSpec): void {
    if (this.#world.watchdog.jobs.has(spec.identity.uid)) return;
    this.#ask('creates the Job', async (deps) => createJob(spec, deps));
    this.#world.schedule(plusMs(this.#world.time, MINUTE_MS), () => this.createJob(spec));
  }

  /** Every minute, as long as the world goes on. */
  sweep(): void {
    this.#ask('sweeps storage', async (deps) => sweepStorage(deps));
    this.#world.schedule(plusMs(this.#world.time, MINUTE_MS), () => this.sweep());
  }

  act(act: StorageAct, no: number): void {
    const { time } = this.#world;
    switch (act) {
      case 'claim made':
        for (let nth = this.#random.chance(0.4) ? 3 : 1; nth > 0; nth--) this.#makeClaim(no * 3 + nth, time);
        return;
      case 'volume made':
        return this.#makeVolume(no, time);
      case 'claim deleted':
        return this.#some('PersistentVolumeClaim', act, async (found, deps) => {
          const was = { key: found.key, was: found.version, document: null };
          const removed = await deps.objects.commit('PersistentVolumeClaim', was);
          const { volumeName = '' } = claimIn(found.document).spec;
          if (removed.kind === 'committed') await createStorageCommands(deps).claimRemoved(volumeName);
        });
      case 'volume deleted':
        return this.#some('PersistentVolume', act, async ({ key, version, document }, deps) => {
          this.#watch.touch(key.name);
          await deps.objects.commit('PersistentVolume', { key, was: version, document: null });
          const { claimRef } = volumeIn(document).spec;
          if (claimRef !== undefined) await createStorageCommands(deps).claimChanged(claimRef);
        });
      case 'volume freed':
        return this.#some('PersistentVolume', act, async ({ key, version, document }, deps) => {
          const { claimRef: _claim, ...spec } = volumeIn(document).spec;
          if (volumeIn(document).status.phase !== 'Released') return;
          this.#watch.touch(key.name);
          await deps.objects.commit('PersistentVolume', { key, was: version, document: { ...document, spec } });
          await createStorageCommands(deps).volumeChanged(key);
        });
    }
  }

  #makeClaim(no: number, time: EpochMs): void {
    const document = claimByLuck(no, this.#watch.place, this.#random, time);
    const key = { namespace: 'default', name: String(document.metadata['name']) };
    this.#ask('makes a claim', async (deps) => {
      await deps.objects.commit('PersistentVolumeClaim', { key, was: 0, document });
      await createStorageCommands(deps).claimChanged(key);
    });
  }

  #makeVolume(no: number, time: EpochMs): void {
    const document = volumeByLuck(no, this.#random, time);
    const key = { namespace: '', name: String(document.metadata['name']) };
    this.#ask('makes a volume', async (deps) => {
      await deps.objects.commit('PersistentVolume', { key, was: 0, document });
      await createStorageCommands(deps).volumeChanged(key);
    });
  }

  /** With one that there is, if there is any. */
  #some(
    kind: 'PersistentVolume' | 'PersistentVolumeClaim',
    what: string,
    work: (found: StoredObject, deps: Deps) => Promise<void>,
  ): void {
    const at = this.#random.between(0, 1_000);
    this.#ask(what, async (deps) => {
      const all = await allObjects(kind, null, deps.objects);
      const found = all[at % Math.max(1, all.length)];
      if (found !== undefined) await work(found, deps);
    });
  }

  #ask(what: string, work: (deps: Deps) => Promise<unknown>): void {
    const { folders } = this.#watch;
    this.#world.handlers.user(what, ALL, async (deps) =>
      work(folders === null ? deps : { ...deps, ports: { ...deps.ports, volumeFolders: folders } }),
    );
  }
}
