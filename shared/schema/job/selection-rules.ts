import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { parseIndexesStrict } from '../../domain/base/index-set.ts';
import { OWN_MANAGER } from '../../domain/manifests/job.ts';
import { type SuccessRule, successRulesOf } from '../../domain/manifests/success-rules.ts';
import { type IndexSelection, neverMet, selectionOf } from '../../domain/manifests/selection.ts';
import type { JobManifest, Labels } from '../../domain/manifests/manifest.ts';
import { dnsSubdomainErrors } from '../object/dns-names.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import type { JobSpecShape } from './job-shape.ts';
import { successPolicyOf } from './success-policy-rules.ts';

// Which indexes of a Job run: muster.run/indexes names them, muster.run/rerun-of names the Job whose successes are kept.

/** The path of one of a Job's annotations. */
export const annotationPath = (key: string): string => `metadata.annotations[${key}]`;

const FIELDS = [ANNOTATIONS.indexes, ANNOTATIONS.rerunOf];

type SelectedSpec = Pick<JobSpecShape, 'completionMode' | 'completions' | 'successPolicy' | 'managedBy'>;

/** The rules for both annotations, with paths that begin at the Job. What they mean for another Job is checked on create. */
export function selectionErrors(annotations: Labels | undefined, spec: SelectedSpec): readonly FieldError[] {
  const given = FIELDS.flatMap((key) => (annotations?.[key] === undefined ? [] : [[key, annotations[key]] as const]));
  const useless = uselessness(spec);
  if (useless !== null) return given.map(([key, text]) => invalid(annotationPath(key), text, useless));
  return [
    ...given.flatMap(([key, text]) => (key === ANNOTATIONS.rerunOf ? nameErrors(text) : indexesErrors(text, spec))),
    // With another Job's successes, fewer indexes are excluded.
    ...(annotations?.[ANNOTATIONS.rerunOf] === undefined ? policyErrorsOf(annotations, spec) : []),
  ];
}

/**
 * The fault of a success policy with a rule that needs indexes which are neither chosen nor inherited.
 *
 * @param rules the policy's rules, and `shown` the same as users write them
 */
export function policyErrors(
  selection: IndexSelection,
  completions: number,
  rules: readonly SuccessRule[],
  shown: readonly unknown[],
): readonly FieldError[] {
  const never = neverMet(rules, selection, completions);
  const rule = never === null ? undefined : rules[never];
  if (never === null || rule === undefined) return [];
  const { path, value } = placeOf(rule, never, shown);
  return [
    invalid(path, value, `can never be met: too many of its indexes are not in ${annotationPath(ANNOTATIONS.indexes)}`),
  ];
}

/** Where a rule of the policy stands, and how it is written there. */
export function placeOf(
  { own }: SuccessRule,
  nth: number,
  shown: readonly unknown[],
): { readonly path: string; readonly value: unknown } {
  const [key = '', value] = own?.says.split(' ') ?? [];
  return own === undefined
    ? { path: `spec.successPolicy.rules[${nth}]`, value: shown[nth] }
    : { path: annotationPath(key), value };
}

/** Another rule reports missing completions, and a text that cannot be read. */
function policyErrorsOf(
  annotations: Labels | undefined,
  { completions, successPolicy }: Pick<SelectedSpec, 'completions' | 'successPolicy'>,
): readonly FieldError[] {
  const chosen = annotations?.[ANNOTATIONS.indexes];
  const { rules = [] } = successPolicy ?? {};
  if (chosen === undefined || chosen === '' || completions === undefined) return [];
  if (parseIndexesStrict(chosen, Infinity).kind === 'invalid') return [];
  const policy = successPolicy === undefined ? {} : { successPolicy: successPolicyOf(successPolicy) };
  // Another rule reports a count that no Job of this size can reach.
  const read = (successRulesOf({ completions, ...policy }, annotations) ?? []).filter(
    ({ own, count }) => own === undefined || (count ?? 0) <= completions,
  );
  return policyErrors(selectionOf(completions, chosen, undefined), completions, read, rules);
}

/** While indexes are named, their number never changes. */
export function selectionChangeErrors(completions: number | undefined, old: JobManifest): readonly FieldError[] {
  const { indexes } = ANNOTATIONS;
  if (old.metadata.annotations?.[indexes] === undefined || completions === old.spec.completions) return [];
  const why = `field is immutable in a Job with ${annotationPath(indexes)}`;
  return [invalid('spec.completions', completions ?? null, why)];
}

function uselessness({ completionMode, managedBy }: SelectedSpec): string | null {
  if (completionMode !== 'Indexed') return 'has an effect only on Indexed Jobs';
  return (managedBy ?? OWN_MANAGER) === OWN_MANAGER ? null : 'has no effect on a Job that another controller runs';
}

const FORM = 'must be indexes in ascending order, such as "3,7-9"';

function indexesErrors(text: string, { completions }: SelectedSpec): readonly FieldError[] {
  const wrong = (why: string): readonly FieldError[] => [invalid(annotationPath(ANNOTATIONS.indexes), text, why)];
  if (text === '') return wrong(`${FORM}: it names none`);
  const read = parseIndexesStrict(text, Infinity);
  if (read.kind === 'invalid') return wrong(`${FORM}: ${read.reason}`);
  const last = (read.set.edges.at(-1) ?? 0) - 1;
  if (completions === undefined || last < completions) return []; // another rule reports missing completions
  return wrong(`index ${last} does not exist: with ${completions} completions, the last is ${completions - 1}`);
}

const nameErrors = (name: string): readonly FieldError[] =>
  dnsSubdomainErrors(name).map((fieldError) =>
    invalid(
      annotationPath(ANNOTATIONS.rerunOf),
      name,
      `must be the name of a Job in the same namespace: ${fieldError}`,
    ),
  );
