import * as z from 'zod';
import { type IndexSet, parseIndexesStrict, size } from '../../domain/base/index-set.ts';
import { INDEX_ACTIONS, type IndexAction } from '../../domain/scoreboard/index-changes.ts';
import { type FieldError, invalid, notSupported, required } from '../object/field-error.ts';

const shape = z.strictObject({ action: z.unknown().optional(), indexes: z.unknown().optional() });

export type IndexRequest = { readonly action: IndexAction; readonly indexes: IndexSet };

export type ReadIndexRequest =
  | { readonly kind: 'ok'; readonly request: IndexRequest }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
  /** It is no such request at all. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** Reads what a user wants done to single indexes: `{"action": "hold", "indexes": "3,7-9"}`; all faults at once. */
export function readIndexRequest(document: unknown): ReadIndexRequest {
  const decoded = shape.safeParse(document);
  if (!decoded.success)
    return {
      kind: 'unreadable',
      message: 'the body must be an object with the fields "action" and "indexes", and no others',
    };
  const { action, indexes } = decoded.data;
  const known = INDEX_ACTIONS.find((each) => each === action);
  const parsed = typeof indexes === 'string' ? parseIndexesStrict(indexes, Infinity) : null;
  const errors = [
    ...(known !== undefined
      ? []
      : action === undefined
        ? [required('action')]
        : [notSupported('action', action, INDEX_ACTIONS)]),
    ...indexErrors(indexes, parsed),
  ];
  return known === undefined || parsed?.kind !== 'ok' || errors.length > 0
    ? { kind: 'invalid', errors }
    : { kind: 'ok', request: { action: known, indexes: parsed.set } };
}

function indexErrors(given: unknown, parsed: ReturnType<typeof parseIndexesStrict> | null): readonly FieldError[] {
  if (given === undefined) return [required('indexes')];
  if (parsed === null) return [invalid('indexes', given, 'must be text such as "3,7-9"')];
  if (parsed.kind === 'invalid') return [invalid('indexes', given, parsed.reason)];
  return size(parsed.set) === 0 ? [invalid('indexes', given, 'names no index')] : [];
}
