import type { JSX } from 'preact';

/** When attempts began and ended, and how long they took. */
export function Times(_: {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
}): JSX.Element | null {
  return null;
}
