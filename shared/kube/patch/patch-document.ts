import type { KindTable } from '../../schema/kinds/kind-table.ts';
import { isObject } from './json-value.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import type { Patched } from './patch-outcome.ts';
import { strategicMerge } from './strategic-merge.ts';

export type { Patched } from './patch-outcome.ts';

export type PatchKind = 'json' | 'merge' | 'strategic';

/**
 * Applies a patch to a copy of a document. Whether the result is valid is not checked here.
 * @param type the document's type in the table: `Job`.
 * @param patch parsed JSON, no deeper than parsed bodies are.
 */
export function patchDocument(
  table: KindTable,
  type: string,
  current: unknown,
  kind: PatchKind,
  patch: unknown,
): Patched {
  if (kind === 'json') return jsonPatch(current, patch);
  if (!isObject(patch)) return { kind: 'bad', message: 'error decoding patch: json: cannot unmarshal into an object' };
  return kind === 'merge'
    ? { kind: 'patched', document: mergePatch(current, patch) }
    : strategicMerge(table, type, isObject(current) ? current : {}, patch);
}
