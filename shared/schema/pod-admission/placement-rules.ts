import type { Labels } from '../../domain/manifests/manifest.ts';
import { PLACE_LABELS, placeOf } from '../../domain/task/task-place.ts';
import { dnsLabelErrors, dnsSubdomainErrors, labelValueErrors, qualifiedNameErrors } from '../object/dns-names.ts';
import { type FieldError, duplicate, invalid, notSupported, required } from '../object/field-error.ts';
import { labelSelectorErrors, requirementErrors } from '../object/label-selector-rules.ts';
import { labelErrors } from '../object/metadata-rules.ts';
import { refusedValue } from '../object/refused-fields.ts';
import type {
  NodeTermShape,
  PodAffinityShape,
  PodTermShape,
  SpreadShape,
  TolerationShape,
} from '../pod/placement-shape.ts';
import type { PodSpecShape } from '../pod/pod-shape.ts';

/** Each task has a machine of its own, so no two Pods are on one host. */
const HOST = 'kubernetes.io/hostname';
const REQUIRED_TERMS = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED_TERMS = 'preferredDuringSchedulingIgnoredDuringExecution';

const CHOICES = Object.entries(PLACE_LABELS)
  .map(([key, values]) => `${key} (${values.join(', ')})`)
  .join(', ');

/**
 * Kubernetes' rules for where a Pod runs (`ValidateNodeSelector`, `validateAffinity`, `ValidateTolerations`,
 * `validateTopologySpreadConstraints`), and what cannot hold on Fargate.
 *
 * @param path the path of the Pod's spec
 */
export function placementErrors(path: string, spec: PodSpecShape): readonly FieldError[] {
  const {
    nodeSelector = {},
    affinity,
    tolerations = [],
    topologySpreadConstraints = [],
    priorityClassName = '',
  } = spec;
  const node = affinity?.nodeAffinity;
  const at = `${path}.affinity`;
  const errors = [
    ...nodeSelectorErrors(`${path}.nodeSelector`, nodeSelector),
    ...requiredNodeErrors(`${at}.nodeAffinity.${REQUIRED_TERMS}`, node?.[REQUIRED_TERMS]?.nodeSelectorTerms, node),
    ...(node?.[PREFERRED_TERMS] ?? []).flatMap(({ weight, preference }, i) => [
      ...weightErrors(`${at}.nodeAffinity.${PREFERRED_TERMS}[${i}]`, weight),
      ...nodeTermErrors(`${at}.nodeAffinity.${PREFERRED_TERMS}[${i}].preference`, preference),
    ]),
    ...podAffinityErrors(`${at}.podAffinity`, affinity?.podAffinity, ({ topologyKey }) =>
      topologyKey === HOST ? 'leave it out: no two tasks share a machine' : null,
    ),
    ...podAffinityErrors(`${at}.podAntiAffinity`, affinity?.podAntiAffinity, () => null),
    ...tolerations.flatMap((each, i) => tolerationErrors(`${path}.tolerations[${i}]`, each)),
    ...spreadsErrors(`${path}.topologySpreadConstraints`, topologySpreadConstraints),
    ...(priorityClassName === ''
      ? []
      : dnsSubdomainErrors(priorityClassName).map((fault) =>
          invalid(`${path}.priorityClassName`, priorityClassName, fault),
        )),
  ];
  return errors.length === 0 ? placeErrors(path, spec) : errors;
}

/** Sentences on what is accepted and has no effect. */
export function placementWarnings(path: string, spec: PodSpecShape): readonly string[] {
  const { affinity, tolerations = [], topologySpreadConstraints = [], priorityClassName = '' } = spec;
  const preferred = (['nodeAffinity', 'podAffinity', 'podAntiAffinity'] as const).filter(
    (kind) => (affinity?.[kind]?.[PREFERRED_TERMS] ?? []).length > 0,
  );
  const required = (['podAffinity', 'podAntiAffinity'] as const).filter((kind) =>
    affinity?.[kind]?.[REQUIRED_TERMS]?.some(({ topologyKey }) => topologyKey !== HOST),
  );
  const isSpread = topologySpreadConstraints.some(
    ({ topologyKey, whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway' || topologyKey !== HOST,
  );
  return [
    ...preferred.map(
      (kind) => `${path}.affinity.${kind}.${PREFERRED_TERMS}: has no effect: Fargate has no nodes to choose from`,
    ),
    ...required.map(
      (kind) =>
        `${path}.affinity.${kind}.${REQUIRED_TERMS}: has no effect: Fargate spreads tasks over the subnets of the stack`,
    ),
    ...(tolerations.length > 0 ? [`${path}.tolerations: has no effect: Fargate has no nodes, hence no taints`] : []),
    ...(isSpread
      ? [`${path}.topologySpreadConstraints: has no effect: Fargate spreads tasks over the subnets of the stack`]
      : []),
    ...(priorityClassName === '' ? [] : [`${path}.priorityClassName: has no effect: Fargate has no priorities`]),
  ];
}

function nodeSelectorErrors(path: string, nodeSelector: Labels): readonly FieldError[] {
  return [
    ...labelErrors(path, nodeSelector),
    ...Object.entries(nodeSelector).flatMap(([key, value]) => {
      const choices = Object.hasOwn(PLACE_LABELS, key) ? PLACE_LABELS[key] : undefined;
      if (choices === undefined)
        return [
          refusedValue(
            `${path}[${key}]`,
            `leave it out: Fargate has no nodes to choose from; ${Object.keys(PLACE_LABELS).join(', ')} may be chosen`,
          ),
        ];
      return choices.includes(value) ? [] : [refusedValue(`${path}[${key}]`, `use ${choices.join(' or ')}`)];
    }),
  ];
}

/** Whether there is a place for the Pod at all, if each part is right in itself. */
function placeErrors(path: string, { nodeSelector = {}, affinity }: PodSpecShape): readonly FieldError[] {
  const needed = affinity?.nodeAffinity?.[REQUIRED_TERMS];
  if (needed === undefined || placeOf({ nodeSelector, affinity }) !== null) return [];
  const beside = Object.keys(nodeSelector).length === 0 ? '' : ' beside nodeSelector';
  return [
    refusedValue(
      `${path}.affinity.nodeAffinity.${REQUIRED_TERMS}`,
      `no task meets it${beside}: tasks have the labels ${CHOICES}, and no others`,
    ),
  ];
}

function requiredNodeErrors(
  path: string,
  terms: readonly NodeTermShape[] | undefined,
  node: NonNullable<PodSpecShape['affinity']>['nodeAffinity'],
): readonly FieldError[] {
  if (node?.[REQUIRED_TERMS] === undefined) return [];
  const at = `${path}.nodeSelectorTerms`;
  return terms === undefined || terms.length === 0
    ? [required(at, 'must have at least one node selector term')]
    : terms.flatMap((term, i) => nodeTermErrors(`${at}[${i}]`, term));
}

const nodeTermErrors = (path: string, term: NodeTermShape | undefined): readonly FieldError[] =>
  (['matchExpressions', 'matchFields'] as const).flatMap((list) =>
    (term?.[list] ?? []).flatMap((each, i) => nodeRequirementErrors(`${path}.${list}[${i}]`, each)),
  );

/** As in a label selector, and Gt and Lt, which compare with one number. */
function nodeRequirementErrors(
  path: string,
  requirement: NonNullable<NodeTermShape['matchExpressions']>[number],
): readonly FieldError[] {
  const { operator, values = [] } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt') return requirementErrors(path, requirement);
  return [
    ...(values.length === 1
      ? []
      : [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")]),
    ...qualifiedNameErrors(requirement.key ?? '').map((fault) => invalid(`${path}.key`, requirement.key ?? '', fault)),
  ];
}

const weightErrors = (path: string, weight = 0): readonly FieldError[] =>
  weight >= 1 && weight <= 100 ? [] : [invalid(`${path}.weight`, weight, 'must be in the range 1-100')];

/** @param instead what to write in place of a required term; null: it holds */
function podAffinityErrors(
  path: string,
  affinity: PodAffinityShape | undefined,
  instead: (term: PodTermShape) => string | null,
): readonly FieldError[] {
  return [
    ...(affinity?.[REQUIRED_TERMS] ?? []).flatMap((term, i) => {
      const at = `${path}.${REQUIRED_TERMS}[${i}]`;
      const errors = podTermErrors(at, term);
      const other = errors.length === 0 ? instead(term) : null;
      return other === null ? errors : [refusedValue(at, other)];
    }),
    ...(affinity?.[PREFERRED_TERMS] ?? []).flatMap(({ weight, podAffinityTerm }, i) => [
      ...weightErrors(`${path}.${PREFERRED_TERMS}[${i}]`, weight),
      ...podTermErrors(`${path}.${PREFERRED_TERMS}[${i}].podAffinityTerm`, podAffinityTerm ?? {}),
    ]),
  ];
}

function podTermErrors(path: string, term: Partial<PodTermShape>): readonly FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term;
  return [
    ...(labelSelector === undefined ? [] : labelSelectorErrors(`${path}.labelSelector`, labelSelector)),
    ...(namespaceSelector === undefined ? [] : labelSelectorErrors(`${path}.namespaceSelector`, namespaceSelector)),
    ...namespaces.flatMap((name, i) =>
      dnsLabelErrors(name).map((fault) => invalid(`${path}.namespaces[${i}]`, name, fault)),
    ),
    ...topologyKeyErrors(path, topologyKey),
  ];
}

const topologyKeyErrors = (path: string, key = ''): readonly FieldError[] =>
  key === ''
    ? [required(`${path}.topologyKey`, 'can not be empty')]
    : qualifiedNameErrors(key).map((fault) => invalid(`${path}.topologyKey`, key, fault));

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function tolerationErrors(path: string, toleration: TolerationShape): readonly FieldError[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key !== '') errors.push(...qualifiedNameErrors(key).map((fault) => invalid(`${path}.key`, key, fault)));
  else if (operator !== 'Exists')
    errors.push(
      invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  if (operator === '' || operator === 'Equal')
    errors.push(...labelValueErrors(value).map((fault) => invalid(`${path}.operator`, value, fault)));
  else if (operator !== 'Exists') errors.push(notSupported(`${path}.operator`, operator, ['Equal', 'Exists']));
  else if (value !== '')
    errors.push(invalid(`${path}.operator`, toleration, "value must be empty when `operator` is 'Exists'"));
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS));
  return errors;
}

const WHEN = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

function spreadsErrors(path: string, spreads: readonly SpreadShape[]): readonly FieldError[] {
  const seen = new Set<string>();
  return spreads.flatMap((spread, i) => {
    const at = `${path}[${i}]`;
    const { topologyKey = '', whenUnsatisfiable = '' } = spread;
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
    const twice = seen.has(pair) ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair)] : [];
    seen.add(pair);
    return [...spreadErrors(at, spread), ...twice];
  });
}

function spreadErrors(path: string, spread: SpreadShape): readonly FieldError[] {
  const { maxSkew = 0, topologyKey, whenUnsatisfiable = '', labelSelector, minDomains } = spread;
  const errors: FieldError[] = [];
  if (maxSkew <= 0) errors.push(invalid(`${path}.maxSkew`, maxSkew, 'must be greater than zero'));
  errors.push(...topologyKeyErrors(path, topologyKey));
  if (!WHEN.includes(whenUnsatisfiable))
    errors.push(notSupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable, WHEN));
  if (minDomains !== undefined && minDomains <= 0)
    errors.push(invalid(`${path}.minDomains`, minDomains, 'must be greater than zero'));
  if (minDomains !== undefined && whenUnsatisfiable === 'ScheduleAnyway')
    errors.push(
      invalid(
        `${path}.minDomains`,
        minDomains,
        'can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ),
    );
  for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
    const policy = spread[field];
    if (policy !== undefined && !POLICIES.includes(policy))
      errors.push(notSupported(`${path}.${field}`, policy, POLICIES));
  }
  if (labelSelector !== undefined) errors.push(...labelSelectorErrors(`${path}.labelSelector`, labelSelector));
  return errors;
}
