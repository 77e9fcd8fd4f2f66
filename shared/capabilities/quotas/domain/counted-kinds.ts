import { ALL_KINDS, API_KINDS, type KindName } from '../../../domain/kinds/api-kinds.ts';

/** A kind whose objects quotas count, each for nothing but itself. */
export type CountedKind = { [K in KindName]: (typeof API_KINDS)[K] extends { counted: string } ? K : never }[KindName];

/** What of a usage the objects of a kind are. */
export type CountedObjects = (typeof API_KINDS)[CountedKind]['counted'];

export const isCountedKind = (kind: string): kind is CountedKind =>
  ALL_KINDS.some(({ name, counted }) => name === kind && counted !== undefined);

export const COUNTED_KINDS: readonly CountedKind[] = ALL_KINDS.map(({ name }) => name).filter(isCountedKind);

/** What a quota counts each object of a kind as. */
export const countedAs = (kind: CountedKind): CountedObjects => API_KINDS[kind].counted;
