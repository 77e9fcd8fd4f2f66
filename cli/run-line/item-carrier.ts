import type { ItemList } from '../../shared/domain/items/item-list.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { WorkBar } from '../follow/work-bar.ts';

/** Brings the items of a command line to what it creates, if they are too many for a manifest. */
export type ItemCarrier = {
  /** The annotation that names what carries them. */
  readonly key: string;
  /** What it is called before its name, as in `job/zip`. */
  readonly word: string;
  /**
   * Uploads all items.
   *
   * @throws Failure when the server refuses them, or `signal` is aborted: then nothing is left of them
   */
  readonly upload: (
    at: { readonly namespace: string; readonly name: string },
    list: ItemList,
    upload: Upload,
  ) => Promise<CarriedList>;
  /** The Job keeps the items. What another client made meanwhile stays. */
  readonly remove: (carried: CarriedList, client: KubeClient) => Promise<void>;
};

/** What was made for one Job. The uid tells it from a later one of its name. */
export type CarriedList = { readonly namespace: string; readonly name: string; readonly uid: string };

export type Upload = {
  readonly client: KubeClient;
  readonly bar: WorkBar;
  readonly signal: AbortSignal;
  /** The list stays after the upload: what is created names it. */
  readonly isKept: boolean;
  /** What an upload before has left under this name is removed first. */
  readonly replaces: boolean;
};
