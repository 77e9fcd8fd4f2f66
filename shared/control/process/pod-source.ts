import type { NamedSource, PodSources } from '../../domain/task/pod-sources.ts';
import type { SecretCopy } from '../../ports/secret-copies.ts';
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
  /** What tasks read of Secrets, which has to be where they read it before they start. */
  readonly copies: readonly SecretCopy[];
};
