import { ALL_KINDS, API_KINDS, type CountedKind } from '../kinds/api-kinds.ts';

export type { CountedKind };

/** What of a usage the objects of a kind are. */
export type CountedObjects = (typeof API_KINDS)[CountedKind]['counted'];

export const isCountedKind = (kind: string): kind is CountedKind =>
  ALL_KINDS.some(({ name, counted }) => name === kind && counted !== undefined);

export const COUNTED_KINDS: readonly CountedKind[] = ALL_KINDS.map(({ name }) => name).filter(isCountedKind);

/** What a quota counts each object of a kind as. */
export const countedAs = (kind: CountedKind): CountedObjects => API_KINDS[kind].counted;
