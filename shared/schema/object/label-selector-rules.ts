import { type LabelRequirement, meetsRequirement } from '../../domain/manifests/label-requirement.ts';
import type { LabelSelector, Labels } from '../../domain/manifests/manifest.ts';
import { labelValueErrors, qualifiedNameErrors } from './dns-names.ts';
import { type FieldError, forbidden, invalid, required } from './field-error.ts';
import type { LabelSelectorShape } from './label-selector-shape.ts';
import { labelErrors } from './metadata-rules.ts';

/** Kubernetes' rules for a label selector (apimachinery's `ValidateLabelSelector`). */
export function labelSelectorErrors(path: string, selector: LabelSelectorShape): readonly FieldError[] {
  return [
    ...labelErrors(`${path}.matchLabels`, selector.matchLabels),
    ...(selector.matchExpressions ?? []).flatMap((requirement, i) =>
      requirementErrors(`${path}.matchExpressions[${i}]`, requirement),
    ),
  ];
}

/**
 * Whether the selector matches these labels. An empty selector matches every object, an absent one none. null: the
 * selector is invalid.
 */
export function selects(selector: LabelSelectorShape | undefined, labels: Labels): boolean | null {
  if (selector === undefined) return false;
  if (labelSelectorErrors('', selector).length > 0) return null;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meetsRequirement(requirement, labels))
  );
}

/** The selector as it is stored, without empty parts. */
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

/** Kubernetes' rules for one condition on labels. */
export function requirementErrors(
  path: string,
  { key = '', operator = '', values = [] }: LabelRequirement,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    default:
      errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  }
  return [
    ...errors,
    ...qualifiedNameErrors(key).map((fieldError) => invalid(`${path}.key`, key, fieldError)),
    ...values.flatMap((value, i) =>
      labelValueErrors(value).map((fieldError) => invalid(`${path}.values[${i}]`, value, fieldError)),
    ),
  ];
}
