/** A condition on labels, as label selectors and node affinities write it. */
export type LabelRequirement = {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | undefined;
};

/**
 * Whether labels meet it (apimachinery's `Requirement.Matches`): an object without the label meets NotIn and DoesNotExist. Gt
 * and Lt, which compare numbers, are never met: no label that is compared here is a number.
 */
export function meetsRequirement(
  { key = '', operator, values = [] }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case undefined:
    default:
      return false;
  }
}
