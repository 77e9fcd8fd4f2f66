import { decideVolume } from '../../domain/decide-volume.ts';
import { decideBinding } from '../../domain/decide-binding.ts';
import {
  type Claim,
  type FolderClaim,
  type StorageClass,
  type Volume,
  claimIn,
  folderOwnerOf,
  folderPath,
  nameOfVolumeFor,
  volumeIn,
} from '../../domain/storage-objects.ts';
import { standardClass } from '../../domain/standard-class.ts';
import type { JobStore } from '../../../../ports/job-store.ts';
import type { ObjectStore } from '../../../../ports/object-store.ts';
import type { VolumeFolders } from '../../ports/volume-folders.ts';
import type { Law } from '../../../../../test/dst/checks/law.ts';
import type { Sights } from '../../../../../test/dst/checks/sights.ts';
import type { PlayWatch } from '../../../../../test/dst/world/play-watch.ts';
import type { World } from '../../../../../test/dst/world/world.ts';
import type { SeedPlace } from './seed-storage.ts';

/** Looks at every commit of a claim or a volume: a volume has one claim, and in the end both sides agree (G27). */
export class StorageWatch implements PlayWatch {
  readonly #law: Law;
  readonly #sights: Sights;
  readonly place: SeedPlace;
  readonly #volumes = new Map<string, Volume>();
  readonly #claims = new Map<string, Claim>();
  /** Volumes that a user has deleted, or taken from a claim. */
  readonly #touched = new Set<string>();
  readonly #there = new Map<string, FolderClaim>();

  constructor(world: World, place: SeedPlace) {
    this.#law = world.law;
    this.#sights = world.sights;
    this.place = place;
  }

  /** The folders of the machine; null: there is none. */
  get folders(): VolumeFolders | null {
    if (this.place === 'aws') return null;
    const root = '/volumes';
    return {
      root,
      make: async (owner) => void this.#there.set(folderPath(root, owner), owner),
      remove: async (owner) => {
        const claim = this.#claims.get(owner.name);
        const why = (): string => `the folder of claim ${owner.name} goes while the claim is there`;
        this.#law.forbid(claim?.metadata.uid === owner.uid, 'G27', why);
        this.#there.delete(folderPath(root, owner));
      },
    };
  }

  /** A user deletes a volume, or takes it from its claim. */
  touch(volume: string): void {
    this.#touched.add(volume);
  }

  watchJobs(jobs: JobStore): JobStore {
    return jobs;
  }

  watchObjects(objects: ObjectStore): ObjectStore {
    return {
      ...objects,
      commit: async (kind, change) => {
        const committed = await objects.commit(kind, change);
        const { key, document } = change;
        if (committed.kind !== 'committed') return committed;
        if (kind === 'PersistentVolume') {
          if (document === null) this.#volumes.delete(key.name);
          else this.#volumes.set(key.name, volumeIn(document));
        }
        if (kind === 'PersistentVolumeClaim') {
          if (document === null) this.#claims.delete(key.name);
          else this.#claims.set(key.name, claimIn(document));
          if (document !== null) this.#look(claimIn(document));
        }
        return committed;
      },
    };
  }

  /** A claim was written. */
  #look(claim: Claim): void {
    const { volumeName = '' } = claim.spec;
    if (claim.status.phase === 'Lost') this.#sights.see('a claim lost');
    if (claim.status.phase !== 'Bound') return;
    this.#sights.see('a claim bound');
    const { name, uid } = claim.metadata;
    const others = [...this.#claims.values()].filter(
      (each) => each.metadata.uid !== uid && each.status.phase === 'Bound' && each.spec.volumeName === volumeName,
    );
    const two = (): string => `claims ${name} and ${others[0]?.metadata.name} have one volume, ${volumeName}`;
    this.#law.forbid(others.length > 0, 'G27', two);
    const ofVolume = this.#volumes.get(volumeName)?.spec.claimRef?.uid;
    const unknown = (): string => `claim ${name} has volume ${volumeName}, which does not know of it`;
    this.#law.forbid(ofVolume !== uid && !this.#touched.has(volumeName), 'G27', unknown);
  }

  /** When nothing happens any more, and the sweep has looked: nothing is left to be done, and both sides say the same. */
  checkSettled(): void {
    const volumes = [...this.#volumes.values()];
    const classes = this.#classes();
    for (const volume of volumes) this.#checkVolume(volume);
    for (const claim of this.#claims.values()) {
      const { name, uid } = claim.metadata;
      const binding = decideBinding(claim, volumes, classes, this.place);
      const waits = (): string => `claim ${name} waits for ever, though ${binding.kind} would do`;
      this.#law.forbid(claim.status.phase === 'Pending' && binding.kind !== 'stay', 'G27', waits);
      if (claim.status.phase !== 'Bound') continue;
      const volume = this.#volumes.get(claim.spec.volumeName ?? '');
      const isAgreed = volume?.spec.claimRef?.uid === uid && volume.status.phase === 'Bound';
      this.#law.forbid(!isAgreed, 'G27', () => `claim ${name} says that it is bound, and its volume does not`);
    }
    const wanted = volumes
      .flatMap((volume) => folderOwnerOf(volume) ?? [])
      .map((owner) => folderPath('/volumes', owner));
    // A volume that a user deletes leaves its folder.
    const left = [...this.#there].flatMap(([path, { uid }]) =>
      wanted.includes(path) || this.#touched.has(nameOfVolumeFor(uid)) ? [] : [path],
    );
    this.#law.forbid(left.length > 0, 'G27', () => `a folder of nobody stays: ${left.join()}`);
    const missing = this.place === 'machine' ? wanted.filter((path) => !this.#there.has(path)) : [];
    this.#law.forbid(missing.length > 0, 'G27', () => `a volume has no folder: ${missing.join()}`);
  }

  #checkVolume(volume: Volume): void {
    const { claimRef } = volume.spec;
    const found = claimRef === undefined ? undefined : this.#claims.get(claimRef.name);
    const step = decideVolume(volume, found ?? null);
    const isDone = step.kind === 'nothing' || (step.kind === 'phase' && step.phase === volume.status.phase);
    const { name } = volume.metadata;
    this.#law.forbid(
      !isDone,
      'G27',
      () => `volume ${name} is ${volume.status.phase} for ever, instead of ${step.kind}`,
    );
    const isHeld = volume.status.phase === 'Bound' && found?.metadata.uid !== claimRef?.uid;
    this.#law.forbid(isHeld, 'G27', () => `volume ${name} stays bound to a claim that is gone`);
  }

  #classes(): readonly StorageClass[] {
    if (this.place === 'aws') return [];
    return [standardClass('u', '') as unknown as StorageClass];
  }
}
