/** Something that was taken for a creation. Exactly one of the two is called, unless the process dies or something is thrown. */
export type Held = {
  readonly kind: 'held';
  /** Nothing was created, and nothing will be. */
  readonly undo: () => Promise<void>;
  /** It is stored; omitted: nothing is to be done. */
  readonly keep?: () => void;
};
