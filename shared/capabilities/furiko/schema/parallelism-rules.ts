import type { Parallelism } from '../domain/furiko-job.ts';
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../schema/object/field-error.ts';
import type { ParallelismShape } from './furiko-job-shape.ts';

/** The most indexes of a Job: all of them may run at once. */
const INDEXES_MAX = 100_000;

const COMPLETION_STRATEGIES = ['AllSuccessful', 'AnySuccessful'] as const;
const MATRIX_NAME = /^[a-z0-9_-]+$/;

/** Furiko's rules for what runs in parallel, with its paths; in addition, nothing may be empty or twice. */
export function parallelismErrors(path: string, shape: ParallelismShape): readonly FieldError[] {
  const kinds = (['withCount', 'withKeys', 'withMatrix'] as const).filter((kind) => shape[kind] !== undefined);
  const [kind, ...others] = kinds;
  return [
    ...(kind === undefined
      ? [required(path, 'must specify a parallelism type: withCount, withKeys, or withMatrix')]
      : []),
    ...(kind === 'withCount' ? countErrors(`${path}.withCount`, shape.withCount ?? 0) : []),
    ...(kind === 'withKeys' ? keyErrors(`${path}.withKeys`, shape.withKeys ?? []) : []),
    ...(kind === 'withMatrix' ? matrixErrors(`${path}.withMatrix`, shape.withMatrix ?? {}) : []),
    ...others.map((other) => forbidden(`${path}.${other}`, 'cannot specify more than 1 parallelism type')),
    ...strategyErrors(`${path}.completionStrategy`, shape.completionStrategy),
  ];
}

function countErrors(path: string, count: number): readonly FieldError[] {
  if (count <= 0) return [invalid(path, count, 'must be greater than 0')];
  return count > INDEXES_MAX ? [invalid(path, count, `must be less than or equal to ${INDEXES_MAX}`)] : [];
}

function keyErrors(path: string, keys: readonly string[]): readonly FieldError[] {
  if (keys.length === 0) return [required(path, 'must have at least one key')];
  if (keys.length > INDEXES_MAX)
    return [invalid(path, undefined, `has ${keys.length} keys; a Job has at most ${INDEXES_MAX} indexes`)];
  return valueErrors(path, keys, (i) => required(`${path}[${i}]`, 'key cannot be empty'));
}

function matrixErrors(path: string, matrix: Readonly<Record<string, readonly string[]>>): readonly FieldError[] {
  const names = Object.keys(matrix).sort();
  if (names.length === 0) return [required(path, 'must have at least one name with its values')];
  const errors = names.flatMap((name) => {
    const own = `${path}[${name}]`;
    const values = matrix[name] ?? [];
    if (!MATRIX_NAME.test(name))
      return [invalid(path, name, `withMatrix key must match regexp: ${MATRIX_NAME.source}`)];
    if (values.length === 0) return [required(own, 'must have at least one value')];
    return valueErrors(own, values, (i) => required(`${own}[${i}]`, 'value cannot be empty'));
  });
  const cells = names.reduce((product, name) => product * (matrix[name]?.length ?? 0), 1);
  return cells > INDEXES_MAX
    ? [...errors, invalid(path, undefined, `has ${cells} combinations; a Job has at most ${INDEXES_MAX} indexes`)]
    : errors;
}

/** Its key or its values identify an index, so none may come twice. */
function valueErrors(
  path: string,
  values: readonly string[],
  isEmpty: (nth: number) => FieldError,
): readonly FieldError[] {
  const seen = new Set<string>();
  return values.flatMap((value, nth) => {
    if (value === '') return [isEmpty(nth)];
    if (seen.has(value)) return [duplicate(`${path}[${nth}]`, value)];
    seen.add(value);
    return [];
  });
}

/** An omitted strategy has a default. */
const strategyErrors = (path: string, strategy = ''): readonly FieldError[] =>
  strategy === '' || COMPLETION_STRATEGIES.some((known) => known === strategy)
    ? []
    : [notSupported(path, strategy, COMPLETION_STRATEGIES)];

/** As it is stored. Only for a shape without faults. */
export const parallelismOf = ({
  withCount,
  withKeys,
  withMatrix,
  completionStrategy,
}: ParallelismShape): Parallelism => ({
  ...(withCount === undefined ? {} : { withCount }),
  ...(withKeys === undefined ? {} : { withKeys }),
  ...(withMatrix === undefined ? {} : { withMatrix }),
  completionStrategy: completionStrategy === 'AnySuccessful' ? 'AnySuccessful' : 'AllSuccessful',
});
