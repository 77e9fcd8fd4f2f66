import type { IndexSet } from '../../shared/domain/base/index-set.ts';
import type { Job } from './api-objects.ts';
import type { KubeClient } from './kube-client.ts';

/** What the command line does with Jobs that are Jobs of another API, too. A Job that is none of it is null. */
export type OtherJobs = {
  /** The index that a text names, in the words of that API. */
  readonly namedIndex: (
    text: string,
    job: Job,
    client: KubeClient,
  ) => Promise<
    { readonly kind: 'ok'; readonly indexes: IndexSet } | { readonly kind: 'bad'; readonly message: string } | null
  >;
  /** When it is to be killed, in milliseconds since 1970; null: never. `set`: changes that, to a time in RFC 3339. */
  readonly killTime: (
    namespace: string,
    name: string,
    client: KubeClient,
  ) => Promise<{ readonly atMs: number | null; readonly set: (at: string) => Promise<unknown> } | null>;
};
