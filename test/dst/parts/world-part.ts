import type { EpochMs } from '../../../shared/domain/base/time.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import type { TaskView } from '../../../shared/domain/task/task.ts';
import type { CapabilityPorts } from '../../../shared/ports/capability-ports.ts';
import type { Store } from '../../../shared/store/create-store.ts';
import type { Law } from '../checks/law.ts';
import type { Sights } from '../checks/sights.ts';
import type { Tell, Watchdog } from '../checks/watchdog.ts';
import type { About } from '../story.ts';
import type { Kind } from '../world/calls.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import type { Fault } from '../world/fault-rates.ts';

type Sweep = (deps: Deps) => Promise<unknown>;

/** What a capability has in every world, whatever the seed is about. */
export type WorldPart = {
  /** What handlers of this kind may ask. */
  readonly ports: (kind: Kind) => Partial<CapabilityPorts>;
  /** The same store, which says what was written. */
  readonly watchHosts?: (hosts: Store['hosts']) => Store['hosts'];
  readonly everyMinute: readonly Sweep[];
  /** It takes note of changes that are announced: without such a part, none is listed. */
  readonly listens?: boolean;
  /** Somebody else leaves something that no Job needs; what he leaves. */
  readonly stray?: { readonly what: string; readonly leave: () => void };
  readonly watchJobs?: (jobs: Store['jobs']) => Store['jobs'];
  /** In calm weather, now and then. */
  readonly checkSettled?: () => void;
  readonly checkCalm?: (clearSince: EpochMs) => void;
  /** When all Jobs are over; in some worlds nothing goes wrong. */
  readonly checkEnd?: (isCalm: boolean) => void;
  /** What is left of Jobs that are over; null: nothing. */
  readonly left?: () => string | null;
};

/** The world, as far as a part may look at it. */
export type Around = {
  readonly now: () => EpochMs;
  readonly store: Store;
  readonly tasks: ReadonlyMap<string, { readonly view: TaskView }>;
  readonly law: Law;
  readonly watchdog: Watchdog;
  readonly sights: Sights;
  readonly tell: Tell;
  /** The same of somebody else's doing. */
  readonly tellOf: (who: string, what: string, about: About, fault: Fault | null) => void;
  readonly injector: FaultInjector;
  /** Others hear of the Jobs' changes. */
  readonly announced: boolean;
};
