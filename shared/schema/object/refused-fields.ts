import { type FieldError, forbidden } from './field-error.ts';

/** An unsupported field of Kubernetes: its values without effect here, and what to do instead. */
export type RefusedField = { readonly path: string; readonly means?: readonly unknown[]; readonly instead: string };

const LATER = 'not supported by this version of Muster';

/** Faults for unsupported fields of `value`, unless their values have no effect. */
export const sweep =
  (refusals: readonly RefusedField[]) =>
  (path: string, value: Readonly<Record<string, unknown>> | undefined): readonly FieldError[] =>
    value === undefined
      ? []
      : refusals
          .filter((refusal) => !isHarmless(value[refusal.path], refusal.means ?? []))
          .map((refusal) => forbidden(`${path}.${refusal.path}`, `${LATER}; ${refusal.instead}`));

/** The fault of an unsupported value in a supported field. */
export const refusedValue = (path: string, instead: string): FieldError => forbidden(path, `${LATER}; ${instead}`);

/** Whether the value is absent, empty, or a default of Kubernetes. */
function isHarmless(value: unknown, means: readonly unknown[]): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value === 'object' && Object.keys(value).length === 0) return true;
  return means.some((harmless) => JSON.stringify(harmless) === JSON.stringify(value));
}
