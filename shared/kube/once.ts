/**
 * What is made of a thing once, however many want it, and kept for as long as the thing is: watchers of one row share
 * what they read and render of it.
 */
export class Once<V> {
  readonly #made = new WeakMap<object, Map<string, V>>();

  /** What was made of `thing` under `key` before, or else what `make` makes now. A promise that fails is not kept. */
  of(thing: object, key: string, make: () => V): V {
    const ofThing = this.#made.get(thing) ?? new Map<string, V>();
    this.#made.set(thing, ofThing);
    const known = ofThing.get(key);
    if (known !== undefined) return known;
    const made = make();
    ofThing.set(key, made);
    if (made instanceof Promise) made.catch(() => ofThing.delete(key));
    return made;
  }
}
