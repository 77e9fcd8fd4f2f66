import type { LabelSelector, Labels } from '../domain/manifest.ts';
import { labelValueFaults, qualifiedNameFaults } from './dns-names.ts';
import { type Fault, forbidden, invalid, required } from './fault.ts';
import type { LabelSelectorShape } from './job-shape.ts';
import { labelFaults } from './metadata-rules.ts';

type Requirement = NonNullable<LabelSelectorShape['matchExpressions']>[number];

/** Kubernetes' rules for a label selector (apimachinery's `ValidateLabelSelector`). */
export function labelSelectorFaults(path: string, selector: LabelSelectorShape): readonly Fault[] {
  return [
    ...labelFaults(`${path}.matchLabels`, selector.matchLabels),
    ...(selector.matchExpressions ?? []).flatMap((requirement, i) =>
      requirementFaults(`${path}.matchExpressions[${i}]`, requirement),
    ),
  ];
}

/**
 * Whether an object with these labels is meant. An empty selector means every object, an absent one none.
 * null: the selector itself is wrong, so that there is nothing to compare.
 */
export function selects(selector: LabelSelectorShape | undefined, labels: Labels): boolean | null {
  if (selector === undefined) return false;
  if (labelSelectorFaults('', selector).length > 0) return null;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  );
}

/** The selector as it is stored: without what is empty. */
export function labelSelectorOf({ matchLabels = {}, matchExpressions = [] }: LabelSelectorShape): LabelSelector {
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...(matchExpressions.length === 0
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key = '', operator = '', values = [] }) => ({
            key,
            operator,
            ...(values.length === 0 ? {} : { values }),
          })),
        }),
  };
}

function requirementFaults(path: string, { key = '', operator = '', values = [] }: Requirement): readonly Fault[] {
  const faults: Fault[] = [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        faults.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        faults.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    default:
      faults.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  return [
    ...faults,
    ...qualifiedNameFaults(key).map((fault) => invalid(`${path}.key`, key, fault)),
    ...values.flatMap((value, i) =>
      labelValueFaults(value).map((fault) => invalid(`${path}.values[${i}]`, value, fault)),
    ),
  ];
}

function meets({ key = '', operator, values = [] }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
    case undefined:
    default:
      return value === undefined;
  }
}
