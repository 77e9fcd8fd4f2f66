import { type Labels } from '../domain/manifest.ts';
import { dnsLabelFaults, domainPrefixedPathFaults } from './dns-names.ts';
import { type Fault, invalid, notSupported, required, tooLong } from './fault.ts';
import { type DefaultedSpec, generatedLabels } from './job-defaults.ts';
import { labelSelectorFaults, selects } from './label-selector-rules.ts';
import { podFailurePolicyFaults } from './pod-failure-policy-rules.ts';
import { successPolicyFaults } from './success-policy-rules.ts';

/** A named limit of Muster; Kubernetes has none. */
const COMPLETIONS_MAX = 1_000_000;
/** Kubernetes' limit for Indexed Jobs; ours for all. */
const PARALLELISM_MAX = 100_000;
const FAILED_INDEXES_MAX = 100_000;
/** Indexed Jobs of more completions are held to lower limits when failures are counted for each index. */
const MANY_COMPLETIONS = 100_000;
const PARALLELISM_OF_MANY_MAX = 10_000;
const FAILED_INDEXES_OF_MANY_MAX = 10_000;
const MANAGED_BY_BYTES_MAX = 63;

/**
 * Kubernetes' rules for a Job's own fields (kubernetes-job.md 1.1), with its paths and words, in its order. Each rule
 * looks for itself: nothing that is wrong hides anything else.
 */
export function jobSpecFaults(spec: DefaultedSpec): readonly Fault[] {
  return [
    ...negativeFaults(spec),
    ...managedByFaults(spec),
    ...sizeFaults(spec),
    ...perIndexFaults(spec),
    ...podFailurePolicyFaults(spec),
    ...successPolicyFaults(spec),
    ...replacementFaults(spec),
  ];
}

/** What a Job asks of its template beyond what any template must be. */
export function templateOfJobFaults(spec: DefaultedSpec): readonly Fault[] {
  return [...restartPolicyFaults(spec), ...selectorFaults(spec)];
}

/** Without a selector of the user's, labels and selector must be those that Muster generates on create. */
export function generatedSelectorFaults(spec: DefaultedSpec, name: string, uid: string): readonly Fault[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const expected = generatedLabels(name, uid);
  const labels = spec.template?.metadata?.labels ?? {};
  const faults = Object.entries(expected).flatMap(([key, value]) => hasLabelFaults(labels, key, value));
  return selects(spec.selector, expected) === false
    ? [...faults, invalid('spec.selector', spec.selector, '`selector` not auto-generated')]
    : faults;
}

/** The last index's Pod is the one with the longest hostname. */
export function hostnameFaults({ completionMode, completions = 0 }: DefaultedSpec, name: string): readonly Fault[] {
  if (completionMode !== 'Indexed' || completions <= 0 || name === '') return [];
  const hostname = `${name}-${completions - 1}`;
  return dnsLabelFaults(hostname).length === 0
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

function negativeFaults(spec: DefaultedSpec): readonly Fault[] {
  return NUMBERS.flatMap((field) => {
    const value = spec[field];
    return value !== undefined && value < 0
      ? [invalid(`spec.${field}`, value, 'must be greater than or equal to 0')]
      : [];
  });
}

function managedByFaults({ managedBy }: DefaultedSpec): readonly Fault[] {
  if (managedBy === undefined) return [];
  const faults = domainPrefixedPathFaults('spec.managedBy', managedBy);
  return new TextEncoder().encode(managedBy).length > MANAGED_BY_BYTES_MAX
    ? [...faults, tooLong('spec.managedBy', MANAGED_BY_BYTES_MAX)]
    : faults;
}

const MODES = ['NonIndexed', 'Indexed'];

function sizeFaults({ completionMode, parallelism, completions }: DefaultedSpec): readonly Fault[] {
  const faults: Fault[] = [];
  const isIndexed = completionMode === 'Indexed';
  if (!MODES.includes(completionMode)) faults.push(notSupported('spec.completionMode', completionMode, MODES));
  if (isIndexed && completions === undefined)
    faults.push(required('spec.completions', 'when completion mode is Indexed'));
  if (completions !== undefined && completions > COMPLETIONS_MAX)
    faults.push(invalid('spec.completions', completions, `must be less than or equal to ${COMPLETIONS_MAX}`));
  if (parallelism > PARALLELISM_MAX)
    faults.push(
      invalid(
        'spec.parallelism',
        parallelism,
        `must be less than or equal to ${PARALLELISM_MAX}${isIndexed ? ' when completion mode is Indexed' : ''}`,
      ),
    );
  return faults;
}

/** Limits of failures for each index; only Indexed Jobs have indexes. */
function perIndexFaults(spec: DefaultedSpec): readonly Fault[] {
  const { completionMode, parallelism, completions, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const faults: Fault[] = [];
  const max = 'spec.maxFailedIndexes';
  const atMost = (path: string, value: number | undefined, most: number, when: string): void => {
    if (value !== undefined && value > most)
      faults.push(invalid(path, value, `must be less than or equal to ${most}${when}`));
  };
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined)
    faults.push(required('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  if (completionMode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (spec[field] !== undefined)
        faults.push(invalid(`spec.${field}`, spec[field], 'requires indexed completion mode'));
  }
  if (completionMode !== 'Indexed') return faults;
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
    faults.push(invalid(max, maxFailedIndexes, 'must be less than or equal to completions'));
  atMost(max, maxFailedIndexes, FAILED_INDEXES_MAX, '');
  if (completions === undefined || completions <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return faults;
  const when = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined)
    faults.push(required(max, `must be specified when completions is above ${MANY_COMPLETIONS}`));
  atMost('spec.parallelism', parallelism, PARALLELISM_OF_MANY_MAX, when);
  atMost(max, maxFailedIndexes, FAILED_INDEXES_OF_MANY_MAX, when);
  return faults;
}

function replacementFaults({ podReplacementPolicy, podFailurePolicy }: DefaultedSpec): readonly Fault[] {
  const valid = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return valid.includes(podReplacementPolicy)
    ? []
    : [notSupported('spec.podReplacementPolicy', podReplacementPolicy, valid)];
}

/** A Pod's own default, Always, is none for a Job. */
export function restartPolicyFaults({ template, podFailurePolicy }: DefaultedSpec): readonly Fault[] {
  const path = 'spec.template.spec.restartPolicy';
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(path, policy, ['OnFailure', 'Never'])];
  return podFailurePolicy !== undefined && policy !== 'Never'
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

function selectorFaults({ selector, template }: DefaultedSpec): readonly Fault[] {
  const labels = template?.metadata?.labels ?? {};
  const faults =
    selector === undefined ? [required('spec.selector')] : [...labelSelectorFaults('spec.selector', selector)];
  return selects(selector, labels) === false
    ? [...faults, invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
    : faults;
}

function hasLabelFaults(labels: Labels, key: string, value: string): readonly Fault[] {
  const path = `spec.template.metadata.labels[${key}]`;
  const given = labels[key];
  if (given === undefined) return [required(path, `must be '${value}'`)];
  return given === value ? [] : [invalid(path, labels, `must be '${value}'`)];
}
