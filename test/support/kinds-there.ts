import { ALL_KINDS } from '../../shared/domain/kinds/api-kinds.ts';

/** Whether the API has a kind, by the name of its row: one of a capability may be left out. */
export const isThere = (name: string): boolean => ALL_KINDS.some((kind) => kind.name === name);
