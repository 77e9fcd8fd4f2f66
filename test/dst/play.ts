import type { Fate } from '../../shared/adapters/memory/memory-tasks.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import type { EpochMs } from '../../shared/domain/base/time.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import type { Launch } from '../../shared/ports/tasks.ts';
import type { PlayedGuarantee } from './checks/law.ts';
import type { Random } from './random.ts';
import type { PlayNeeds } from './world/play-watch.ts';
import type { Arrangement } from './world/scenario-events.ts';
import type { World } from './world/world.ts';

/** What a capability plays in the simulation: some seeds are about it alone. */
export type Play = {
  /** What it checks, beside all that is checked of every seed. */
  readonly guarantee: PlayedGuarantee;
  /** What people do in it and in no other seed, by the name under which a run counts it. */
  readonly acts: readonly string[];
  readonly needs: PlayNeeds;
  /** This seed is about it. No two plays have the same seed. */
  readonly has: (seed: number) => boolean;
  /** `random`: the luck of the seed's scenario. */
  readonly seed: (seed: number, random: Random) => PlayedSeed;
};

/** The play of one seed, before anything has happened. */
export type PlayedSeed = {
  readonly jobs: readonly StoredSpec[];
  readonly fate: (launch: Launch, luck: Random) => Fate;
  /** Sets it up in a world in which nothing has happened yet. */
  readonly enact: (world: World) => Playing;
};

/** A play in its world. */
export type Playing = {
  /** Before there are any Jobs. */
  readonly begin?: () => Promise<void>;
  readonly course: Course;
  /** In calm weather, now and then. */
  readonly checkCalm?: (clearSince: EpochMs) => void;
  /** When all Jobs are over. */
  readonly checkEnd?: () => Promise<void>;
};

/** An object of its own makes Jobs, from its creation to its end, which returns them; or people do as is arranged with the seed's Jobs. */
type Course =
  | { readonly kind: 'owner'; readonly run: () => Promise<readonly JobUid[]> }
  | {
      readonly kind: 'jobs';
      /** The weather clears after this. */
      readonly stormMs: number;
      readonly arrange: (random: Random, did: (act: string) => void) => Arrangement;
    };
