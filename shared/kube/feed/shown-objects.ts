import type { WatchedChange } from './watched.ts';

/**
 * Which objects of a selection one watch has shown, by uid. It turns "matched before" and "matches now" into the change that
 * the client sees: an object that begins to match is ADDED, and one that no longer matches is DELETED, whatever happened to it.
 */
export class ShownObjects {
  readonly #known = new Map<string, { readonly version: number; readonly isShown: boolean }>();

  /** It existed when the watch began, in the state of this number of the feed; omitted: in no state of the feed. */
  show(uid: string, version = 0): void {
    this.#known.set(uid, { version, isShown: true });
  }

  /** The client has its state of this number of the feed, or a later one. */
  isTold(uid: string, version: number): boolean {
    return version <= (this.#known.get(uid)?.version ?? 0);
  }

  /** Whether the client has it; undefined: unknown. */
  isShown(uid: string): boolean | undefined {
    return this.#known.get(uid)?.isShown;
  }

  /**
   * The change that the client sees; null: none.
   *
   * @param was whether the client had it
   * @param is whether it matches now
   * @param isLast nothing will follow about it, so it is dropped
   */
  turn(uid: string, was: boolean, is: boolean, isLast: boolean, version = 0): WatchedChange<unknown>['type'] | null {
    if (isLast) this.#known.delete(uid);
    else this.#known.set(uid, { version, isShown: is });
    if (is) return was ? 'MODIFIED' : 'ADDED';
    return was ? 'DELETED' : null;
  }
}
