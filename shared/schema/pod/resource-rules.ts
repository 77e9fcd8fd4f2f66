import { parseQuantity } from '../../domain/base/quantity.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import { refusedFields } from './pod-fields.ts';
import type { ContainerShape } from './pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';

export const QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** The resources of a Fargate task. */
const RESOURCES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** Kubernetes' rules for resources (`ValidateContainerResourceRequirements`). Fargate has three resources. */
export function resourceErrors(path: string, resources: ContainerShape['resources']): readonly FieldError[] {
  const errors: FieldError[] = [...refusedFields('resources', path, resources)];
  for (const list of ['limits', 'requests'] as const)
    for (const [name, text] of Object.entries(resources?.[list] ?? {})) {
      const at = `${path}.${list}[${name}]`;
      const amount = parseQuantity(text);
      if (!RESOURCES.includes(name))
        errors.push(refusedValue(at, 'a Fargate task has cpu, memory and ephemeral-storage; leave it out'));
      else if (amount === null) errors.push(invalid(at, text, QUANTITY));
      else if (amount < 0) errors.push(invalid(at, text, 'must be greater than or equal to 0'));
      else if (list === 'requests') errors.push(...aboveLimit(at, name, text, resources));
    }
  return errors;
}

function aboveLimit(
  path: string,
  name: string,
  request: string,
  resources: ContainerShape['resources'],
): readonly FieldError[] {
  const limit = resources?.limits?.[name];
  const above = limit !== undefined && (parseQuantity(request) ?? 0) > (parseQuantity(limit) ?? Infinity);
  return above ? [invalid(path, request, `must be less than or equal to ${name} limit of ${limit}`)] : [];
}
