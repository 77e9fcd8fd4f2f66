import { ADDRESS_FIELDS } from '../../domain/manifests/pod-spec.ts';
import { referredVariables } from '../../domain/base/variable-expansion.ts';
import { type FieldError, invalid, required } from '../object/field-error.ts';
import { refusedFields } from './pod-fields.ts';
import type { EnvShape } from './pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { type EnvContext, fieldRefErrors, keyRefErrors, resourceRefErrors } from './source-rules.ts';

const OUR_VARIABLES = 'MUSTER_';

/** Kubernetes' rules for a container's variables (`ValidateEnv`), and what ECS cannot do. */
export function envErrors(path: string, variables: readonly EnvShape[], context: EnvContext): readonly FieldError[] {
  const secretsBefore = new Set<string>();
  return variables.flatMap((variable, i) => {
    const at = `${path}[${i}]`;
    const errors = [
      ...nameErrors(`${at}.name`, variable.name ?? ''),
      ...sourceErrors(`${at}.valueFrom`, variable, context),
      ...wordErrors(`${at}.value`, variable.value ?? '', secretsBefore),
    ];
    note(variable, secretsBefore);
    return errors;
  });
}

/** Names of variables whose last definition is a secret or an address, whose value only ECS knows. */
export function secretVariables(variables: readonly EnvShape[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const variable of variables) note(variable, names);
  return names;
}

/** The last definition of a name counts. */
function note({ name = '', valueFrom }: EnvShape, secrets: Set<string>): void {
  const isSecret = valueFrom?.secretKeyRef !== undefined || valueFrom?.configMapKeyRef !== undefined;
  if (isSecret || ADDRESS_FIELDS.has(valueFrom?.fieldRef?.fieldPath ?? '')) secrets.add(name);
  else secrets.delete(name);
}

/** The faults of a word of a command line, or of a value. */
export function wordErrors(path: string, word: string, secrets: ReadonlySet<string>): readonly FieldError[] {
  if (word.includes('\0')) return [invalid(path, word, 'must not contain NUL')];
  const secret = referredVariables(word).find((name) => secrets.has(name));
  return secret === undefined
    ? []
    : [refusedValue(path, `let a shell read it (sh -c '… "$${secret}"'): only ECS knows the value of ${secret}`)];
}

function nameErrors(path: string, name: string): readonly FieldError[] {
  if (name === '') return [required(path)];
  if (!/^[ -<>-~]+$/.test(name))
    return [
      invalid(
        path,
        name,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      ),
    ];
  return name.startsWith(OUR_VARIABLES)
    ? [refusedValue(path, `use another name: names that begin with ${OUR_VARIABLES} are reserved for Muster`)]
    : [];
}

/** Kubernetes' `validateEnvVarValueFrom`. */
function sourceErrors(path: string, { value = '', valueFrom }: EnvShape, context: EnvContext): readonly FieldError[] {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  const refused = refusedFields('valueFrom', path, valueFrom);
  if (refused.length > 0) return refused;
  const count = [fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef].filter((s) => s !== undefined).length;
  if (count === 0)
    return [
      invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'),
    ];
  if (value !== '') return [invalid(path, '', 'may not be specified when `value` is not empty')];
  if (count > 1) return [invalid(path, '', 'may not have more than one field specified at a time')];
  return [
    ...(fieldRef === undefined ? [] : fieldRefErrors(`${path}.fieldRef`, fieldRef)),
    ...(resourceFieldRef === undefined ? [] : resourceRefErrors(`${path}.resourceFieldRef`, resourceFieldRef, context)),
    ...(secretKeyRef === undefined ? [] : keyRefErrors('secretKeyRef', path, secretKeyRef)),
    ...(configMapKeyRef === undefined ? [] : keyRefErrors('configMapKeyRef', path, configMapKeyRef)),
  ];
}
