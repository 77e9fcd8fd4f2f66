/**
 * Values derived from an object once, however many callers want them, and kept as long as the object: watches share what they
 * read and render for a row.
 */
export class Once<V> {
  readonly #made = new WeakMap<object, Map<string, V>>();

  /** The value derived from `thing` under `key` before, or what `make` returns now. A rejected promise is not kept. */
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
