import type { Deps } from '../../../shared/control/process/deps.ts';

/** What has the items of Jobs under a name, as a user makes and deletes it. */
export type ListKeeper = {
  /** The annotation by which a Job names it. */
  readonly key: string;
  /** Shows a content under a name that is free. */
  readonly show: (name: string, content: string, deps: Pick<Deps, 'objects'>) => Promise<void>;
  /** Deletes what shows this content under the name, if it still does. */
  readonly remove: (name: string, content: string, deps: Deps) => Promise<void>;
};
