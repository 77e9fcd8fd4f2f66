import { type FieldError, forbidden } from './field-error.ts';

/** A field that Kubernetes knows and we do not support (yet): which values mean nothing here, and what to do instead. */
export type Refusal = { readonly path: string; readonly means?: readonly unknown[]; readonly instead: string };

const LATER = 'not supported by this version of Muster';

/** Faults for fields of `value` that mean something and that we do not support. */
export const sweep =
  (refusals: readonly Refusal[]) =>
  (path: string, value: Readonly<Record<string, unknown>> | undefined): readonly FieldError[] =>
    value === undefined
      ? []
      : refusals
          .filter((refusal) => !isHarmless(value[refusal.path], refusal.means ?? []))
          .map((refusal) => forbidden(`${path}.${refusal.path}`, `${LATER}; ${refusal.instead}`));

/** Says that a value of a supported field is not supported. */
export const refusedValue = (path: string, instead: string): FieldError => forbidden(path, `${LATER}; ${instead}`);

/** Absent, empty, or what Kubernetes' defaulting writes. */
function isHarmless(value: unknown, means: readonly unknown[]): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value === 'object' && Object.keys(value).length === 0) return true;
  return means.some((harmless) => JSON.stringify(harmless) === JSON.stringify(value));
}
