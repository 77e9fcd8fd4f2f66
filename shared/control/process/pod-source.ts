import type { NamedSource, PodSources } from '../../domain/task/pod-sources.ts';
import type { PullSecret } from '../../domain/task/task.ts';
import type { Fatal, Later, Refused } from '../../ports/tasks.ts';
import type { Deps } from './deps.ts';

/** Where a kind of sources of Pods is read. */
export type PodSource = {
  /**
   * Reads some sources of a namespace as they are now; it ignores those of other kinds. What is not there is not in the answer.
   */
  readonly read: (namespace: string, named: readonly NamedSource[], deps: Deps) => Promise<ReadSources>;
};

export type ReadSources = {
  readonly sources: Partial<PodSources>;
  /** Why what is there cannot be read, for people: the Pods wait, and say it. Omitted: all of it can. */
  readonly fault?: string;
  /**
   * Puts what tasks read by themselves where they read it, before any of them is launched. Safe to repeat. null: it is there.
   * Omitted: there is nothing of the kind.
   *
   * @param pulls with which Secrets images are pulled
   */
  readonly provide?: (pulls: readonly PullSecret[]) => Promise<Later | Refused | Fatal | null>;
};
