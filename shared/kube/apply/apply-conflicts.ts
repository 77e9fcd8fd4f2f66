import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';

/** Fields that another manager owns and that an apply would change. */
export type Conflict = Omit<ManagedFieldsEntry, 'fieldsV1'> & {
  /** `.spec.template.spec.containers[name="c"].image` */
  readonly fields: readonly string[];
};

/** What the Status of a refused apply contains: its message, and a cause for each field (managedfields, NewConflictError). */
export function describeConflicts(conflicts: readonly Conflict[]): {
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
} {
  const sorted = [...conflicts].sort((one, other) => compareText(managerText(one), managerText(other)));
  const causes = sorted.flatMap((conflict) =>
    conflict.fields.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${managerText(conflict)}`,
      field,
    })),
  );
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) {
    return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  }
  const lines = sorted.flatMap((conflict) => [
    `conflicts with ${managerText(conflict)}:`,
    ...conflict.fields.map((field) => `- ${field}`),
  ]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`, causes };
}

/** `"kubectl-edit" using batch/v1`; an applier is the same in every version. Upstream omits the time, and so do we. */
function managerText({ manager, operation, apiVersion, subresource = '' }: Conflict): string {
  const named = subresource === '' ? quoted(manager) : `${quoted(manager)} with subresource ${quoted(subresource)}`;
  return operation === 'Update' ? `${named} using ${apiVersion}` : named;
}

const quoted = (text: string): string => JSON.stringify(text);

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
