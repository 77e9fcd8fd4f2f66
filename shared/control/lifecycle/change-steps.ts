import type { NotAllowed, SeenJob } from '../../ports/job-commands.ts';
import type { NoHosts } from '../../ports/host-store.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from '../process/deps.ts';

/** One of the things that may speak against a change of a Job. If it does not concern the change, it costs nothing. */
export type ChangeStep = {
  readonly name: string;
  /** Why the change would be refused now; null: it would not. Nothing is written. */
  readonly check: (seen: SeenJob, spec: StoredSpec, deps: Deps) => Promise<NotAllowed | null>;
  /** Begins what one change takes. */
  readonly begin: (deps: Deps) => Taking;
};

/**
 * What a change takes before anybody looks whether it can still be made, and keeps if it cannot.
 *
 * @returns why the change is not made; null: nothing speaks against it
 */
export type FirstOfChange = (before: StoredSpec, spec: StoredSpec, deps: Deps) => Promise<NoHosts | null>;

/** What one change takes. At its end exactly one of `keep` and `undo` is called, unless the process dies or something is thrown. */
export type Taking = {
  /**
   * Takes what the change needs beyond what earlier tries of it have taken. A refusal is why the change is not made; null: there is
   * none.
   *
   * @param seen the state on which the change is to be committed, and no other
   */
  take(seen: SeenJob, spec: StoredSpec): Promise<NotAllowed | null>;
  /** The change is made. */
  keep(): void;
  /** The change is not made, and will not be. */
  undo(): Promise<void>;
};

/** Begins all steps of a change: the first refusal is that of all. */
export function beginAll(steps: readonly ChangeStep[], deps: Deps): Taking {
  const takings = steps.map(({ begin }) => begin(deps));
  return {
    async take(seen, spec) {
      for (const each of takings) {
        const refusal = await each.take(seen, spec);
        if (refusal !== null) return refusal;
      }
      return null;
    },
    keep: () => takings.forEach((each) => each.keep()),
    async undo() {
      for (const each of takings.toReversed()) await each.undo();
    },
  };
}

/** Why a change would be refused now by the first step that speaks against it; null: by none. */
export async function checkChange(
  steps: readonly ChangeStep[],
  seen: SeenJob,
  spec: StoredSpec,
  deps: Deps,
): Promise<NotAllowed | null> {
  for (const { check } of steps) {
    const refusal = await check(seen, spec, deps);
    if (refusal !== null) return refusal;
  }
  return null;
}
