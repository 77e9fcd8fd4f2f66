import { dnsLabelErrors, dnsSubdomainErrors } from './dns-names.ts';
import { type FieldError, invalid, required } from './field-error.ts';

type Named = { readonly name?: string | undefined; readonly generateName?: string | undefined };

/** 63 minus the length of the suffix (Kubernetes' `maxGeneratedNameLength`). */
const GENERATE_NAME_CHARS_MAX = 58;

/** The object's name, or its `generateName` with `suffix` (5 characters); '' if it has neither. */
export function nameOf(metadata: Named | undefined, suffix: string): string {
  const given = metadata?.name ?? '';
  const prefix = metadata?.generateName ?? '';
  return given !== '' || prefix === '' ? given : prefix.slice(0, GENERATE_NAME_CHARS_MAX) + suffix;
}

/** Kubernetes' rules for the name of a Job or CronJob, and for its `generateName` prefix. */
export function nameErrors(name: string, metadata: Named | undefined): readonly FieldError[] {
  const errors =
    name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : dnsSubdomainErrors(name).map((fieldError) => invalid('metadata.name', name, fieldError));
  return [...errors, ...prefixErrors(metadata?.generateName ?? '')];
}

/** A prefix may end with a dash, because a suffix follows. */
const prefixErrors = (prefix: string): readonly FieldError[] =>
  prefix === ''
    ? []
    : dnsSubdomainErrors(prefix.replace(/.-$/, 'a')).map((fieldError) =>
        invalid('metadata.generateName', prefix, fieldError),
      );

/** Warns about characters that are valid in a name but not in a DNS label. */
export const nameWarnings = (name: string): readonly string[] => {
  const errors = dnsLabelErrors(name);
  return errors.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${errors.join(' ')}]`,
      ];
};
