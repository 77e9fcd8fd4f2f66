/** A reading that may fail while others go on: its value, or why there is none. */
export type Probe<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string };
