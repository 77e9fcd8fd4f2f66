import type { ManagedFieldsEntry } from '../../../shared/domain/manifests/manifest.ts';
import { applyConfiguration } from '../../../shared/kube/apply/apply.ts';
import { describeConflicts } from '../../../shared/kube/apply/apply-conflicts.ts';
import { EMPTY, type FieldSet, pathsOf } from '../../../shared/kube/apply/field-set.ts';
import { readFieldsV1 } from '../../../shared/kube/apply/fields-v1.ts';
import { managedAfterUpdate } from '../../../shared/kube/apply/managed-fields.ts';
import { type Json, KINDS } from '../patch/a-job.ts';

export const at = (second: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z');
type State = { readonly live: Json | null; readonly entries: readonly ManagedFieldsEntry[] };
export const NOTHING: State = { live: null, entries: [] };

export const tryApply = (
  { live, entries }: State,
  config: unknown,
  manager: string,
  { force = false, second = 0 } = {},
) =>
  applyConfiguration(KINDS, 'Job', live, config, entries, { manager, apiVersion: 'batch/v1', time: at(second), force });

/** Like {@link tryApply}, and it must be applied. */
export function apply(
  state: State,
  config: unknown,
  manager: string,
  options: { force?: boolean; second?: number } = {},
): State {
  const applied = tryApply(state, config, manager, options);
  if (applied.kind !== 'applied') throw new Error(JSON.stringify(applied));
  return { live: applied.document, entries: applied.entries };
}
export const updated = ({ live, entries }: State, after: Json, manager: string, second = 0): State => ({
  live: after,
  entries: managedAfterUpdate(KINDS, 'Job', live, after, entries, {
    manager,
    apiVersion: 'batch/v1',
    time: at(second),
  }),
});
export const refusal = (state: State, config: unknown, manager: string): string => {
  const applied = tryApply(state, config, manager);
  if (applied.kind === 'conflicts') return describeConflicts(applied.conflicts).message;
  return applied.kind === 'bad' ? applied.message : 'applied';
};
export const setOf = ({ fieldsV1 }: ManagedFieldsEntry): FieldSet => {
  const read = readFieldsV1(fieldsV1);
  return read.kind === 'read' ? read.set : EMPTY;
};
export const owned = ({ entries }: State, manager: string, operation = 'Apply') =>
  entries
    .filter((entry) => entry.manager === manager && entry.operation === operation)
    .flatMap((entry) => pathsOf(setOf(entry)));
/** A configuration that sets only this. */
export const only = (spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi', ...metadata },
  ...(Object.keys(spec).length > 0 ? { spec } : {}),
});
export const env = (...vars: Json[]): Json => ({ template: { spec: { containers: [{ name: 'c', env: vars }] } } });
export const C = '.spec.template.spec.containers[name="c"]';
