import type { EpochMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { ConcurrencyPolicy } from '../domain/furiko-job.ts';
import type { ObjectKey } from '../../../ports/object-store.ts';

declare module '../../../ports/extra-commands.ts' {
  interface CapabilityCommands {
    readonly places: PlaceCommands;
  }
}

/** A Job for which a place is wanted. */
export type WantedPlace = {
  readonly uid: JobUid;
  readonly name: string;
  readonly policy: ConcurrencyPolicy;
  /** The Job does not start before; null: at once. */
  readonly startAfter: EpochMs | null;
  /** When the Job is created. */
  readonly at: EpochMs;
};

export type GivenPlace =
  /** The Job starts at once. */
  | { readonly kind: 'active' }
  /** The Job is to be stored suspended: the JobConfig's scheduler starts it when its turn has come. */
  | { readonly kind: 'queued' }
  /** Forbidden, or the queue is full. */
  | { readonly kind: 'refused'; readonly message: string }
  /** There is no such JobConfig, or it is being deleted. */
  | { readonly kind: 'gone' };

/** Gives places in a JobConfig to its Jobs. */
export type PlaceCommands = {
  /**
   * Takes a place for a Job, to be called before the Job is stored. The same uid always has the same place, so the call may be
   * repeated. A place whose Job does not come is free again after two minutes.
   */
  takePlace(configUid: string, key: ObjectKey, wanted: WantedPlace): Promise<GivenPlace>;
  /** Gives a place back at once: its Job was refused. A Job that is stored keeps its place. */
  givePlaceBack(configUid: string, uid: JobUid): Promise<void>;
};
