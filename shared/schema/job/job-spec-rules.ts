import { type Labels } from '../../domain/manifests/manifest.ts';
import { dnsLabelErrors, domainPrefixedPathErrors } from '../object/dns-names.ts';
import { type FieldError, invalid, notSupported, required, tooLong } from '../object/field-error.ts';
import { type DefaultedSpec, generatedLabels } from './job-defaults.ts';
import { labelSelectorErrors, selects } from '../object/label-selector-rules.ts';
import { podFailurePolicyErrors } from './pod-failure-policy-rules.ts';
import { successPolicyErrors } from './success-policy-rules.ts';

/** Muster's own limit. */
const COMPLETIONS_MAX = 1_000_000;
/** Kubernetes' limit for Indexed Jobs, and Muster's for all Jobs. */
const PARALLELISM_MAX = 100_000;
const FAILED_INDEXES_MAX = 100_000;
/** Above this, Indexed Jobs with backoffLimitPerIndex have lower limits. */
const MANY_COMPLETIONS = 100_000;
const PARALLELISM_OF_MANY_MAX = 10_000;
const FAILED_INDEXES_OF_MANY_MAX = 10_000;
const MANAGED_BY_BYTES_MAX = 63;

/**
 * Kubernetes' rules for a Job's own fields (kubernetes-job.md 1.1), with its paths and words, in its order. The rules
 * are independent, so no fault hides another.
 */
export function jobSpecErrors(spec: DefaultedSpec): readonly FieldError[] {
  return [
    ...negativeErrors(spec),
    ...managedByErrors(spec),
    ...sizeErrors(spec),
    ...perIndexErrors(spec),
    ...podFailurePolicyErrors(spec),
    ...successPolicyErrors(spec),
    ...replacementErrors(spec),
  ];
}

/** What a Job requires of its template in addition to what every template must have. */
export function templateOfJobErrors(spec: DefaultedSpec): readonly FieldError[] {
  return [...restartPolicyErrors(spec), ...selectorErrors(spec)];
}

/** Unless the user sets the selector, labels and selector must be those that Muster generates on create. */
export function generatedSelectorErrors(spec: DefaultedSpec, name: string, uid: string): readonly FieldError[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const expected = generatedLabels(name, uid);
  const labels = spec.template?.metadata?.labels ?? {};
  const errors = Object.entries(expected).flatMap(([key, value]) => hasLabelErrors(labels, key, value));
  return selects(spec.selector, expected) === false
    ? [...errors, invalid('spec.selector', spec.selector, '`selector` not auto-generated')]
    : errors;
}

/** Checks the Pod of the last index, which has the longest hostname. */
export function hostnameErrors(
  { completionMode, completions = 0 }: DefaultedSpec,
  name: string,
): readonly FieldError[] {
  if (completionMode !== 'Indexed' || completions <= 0 || name === '') return [];
  const hostname = `${name}-${completions - 1}`;
  return dnsLabelErrors(hostname).length === 0
    ? []
    : [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${hostname}`)];
}

const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

function negativeErrors(spec: DefaultedSpec): readonly FieldError[] {
  return NUMBERS.flatMap((field) => {
    const value = spec[field];
    return value !== undefined && value < 0
      ? [invalid(`spec.${field}`, value, 'must be greater than or equal to 0')]
      : [];
  });
}

function managedByErrors({ managedBy }: DefaultedSpec): readonly FieldError[] {
  if (managedBy === undefined) return [];
  const errors = domainPrefixedPathErrors('spec.managedBy', managedBy);
  return new TextEncoder().encode(managedBy).length > MANAGED_BY_BYTES_MAX
    ? [...errors, tooLong('spec.managedBy', MANAGED_BY_BYTES_MAX)]
    : errors;
}

const MODES = ['NonIndexed', 'Indexed'];

function sizeErrors({ completionMode, parallelism, completions }: DefaultedSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isIndexed = completionMode === 'Indexed';
  if (!MODES.includes(completionMode)) errors.push(notSupported('spec.completionMode', completionMode, MODES));
  if (isIndexed && completions === undefined)
    errors.push(required('spec.completions', 'when completion mode is Indexed'));
  if (completions !== undefined && completions > COMPLETIONS_MAX)
    errors.push(invalid('spec.completions', completions, `must be less than or equal to ${COMPLETIONS_MAX}`));
  if (parallelism > PARALLELISM_MAX)
    errors.push(
      invalid(
        'spec.parallelism',
        parallelism,
        `must be less than or equal to ${PARALLELISM_MAX}${isIndexed ? ' when completion mode is Indexed' : ''}`,
      ),
    );
  return errors;
}

/** The limits of failures per index, for Indexed Jobs only. */
function perIndexErrors(spec: DefaultedSpec): readonly FieldError[] {
  const { completionMode, parallelism, completions, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  const max = 'spec.maxFailedIndexes';
  const atMost = (path: string, value: number | undefined, most: number, when: string): void => {
    if (value !== undefined && value > most)
      errors.push(invalid(path, value, `must be less than or equal to ${most}${when}`));
  };
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined)
    errors.push(required('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  if (completionMode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (spec[field] !== undefined)
        errors.push(invalid(`spec.${field}`, spec[field], 'requires indexed completion mode'));
  }
  if (completionMode !== 'Indexed') return errors;
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
    errors.push(invalid(max, maxFailedIndexes, 'must be less than or equal to completions'));
  atMost(max, maxFailedIndexes, FAILED_INDEXES_MAX, '');
  if (completions === undefined || completions <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return errors;
  const when = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined)
    errors.push(required(max, `must be specified when completions is above ${MANY_COMPLETIONS}`));
  atMost('spec.parallelism', parallelism, PARALLELISM_OF_MANY_MAX, when);
  atMost(max, maxFailedIndexes, FAILED_INDEXES_OF_MANY_MAX, when);
  return errors;
}

function replacementErrors({ podReplacementPolicy, podFailurePolicy }: DefaultedSpec): readonly FieldError[] {
  const valid = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return valid.includes(podReplacementPolicy)
    ? []
    : [notSupported('spec.podReplacementPolicy', podReplacementPolicy, valid)];
}

/** A Pod's default, Always, is not valid for a Job. */
export function restartPolicyErrors({ template, podFailurePolicy }: DefaultedSpec): readonly FieldError[] {
  const path = 'spec.template.spec.restartPolicy';
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])];
  return podFailurePolicy !== undefined && policy !== 'Never'
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

function selectorErrors({ selector, template }: DefaultedSpec): readonly FieldError[] {
  const labels = template?.metadata?.labels ?? {};
  const errors =
    selector === undefined ? [required('spec.selector')] : [...labelSelectorErrors('spec.selector', selector)];
  return selects(selector, labels) === false
    ? [...errors, invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
    : errors;
}

function hasLabelErrors(labels: Labels, key: string, value: string): readonly FieldError[] {
  const path = `spec.template.metadata.labels[${key}]`;
  const given = labels[key];
  if (given === undefined) return [required(path, `must be '${value}'`)];
  return given === value ? [] : [invalid(path, labels, `must be '${value}'`)];
}
