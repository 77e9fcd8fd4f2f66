import { ADDRESS_FIELDS } from '../../domain/manifests/pod-spec.ts';
import { INDEX_VARIABLE } from '../../domain/task/container-env.ts';
import { referredVariables } from '../../domain/base/variable-expansion.ts';
import { type FieldError, invalid, required } from '../object/field-error.ts';
import { refusedFields } from './pod-fields.ts';
import type { ContainerShape, EnvShape } from './pod-shape.ts';
import { refusedValue } from '../object/refused-fields.ts';
import {
  ENV_FIELDS,
  type EnvContext,
  fieldRefErrors,
  keyRefErrors,
  objectNameErrors,
  resourceRefErrors,
} from './source-rules.ts';

type EnvFromShape = NonNullable<ContainerShape['envFrom']>[number];

const OUR_VARIABLES = 'MUSTER_';

/** Kubernetes' rules for a container's variables (`ValidateEnv`), and what ECS cannot do. */
export function envErrors(
  path: string,
  { env = [], envFrom = [] }: Pick<ContainerShape, 'env' | 'envFrom'>,
  context: EnvContext,
): readonly FieldError[] {
  const before = new Map<string, boolean>();
  return env.flatMap((variable, i) => {
    const at = `${path}[${i}]`;
    const errors = [
      ...nameErrors(`${at}.name`, variable.name ?? ''),
      ...sourceErrors(`${at}.valueFrom`, variable, context),
      ...wordErrors(`${at}.value`, variable.value ?? '', (name) => before.get(name) ?? mayBeSecret(name, envFrom)),
    ];
    note(variable, before);
    return errors;
  });
}

/** Kubernetes' rules for variables of whole objects (`ValidateEnvFrom`). */
export const envFromErrors = (path: string, sources: readonly EnvFromShape[]): readonly FieldError[] =>
  sources.flatMap((source, i) => {
    const at = `${path}[${i}]`;
    const { prefix = '', configMapRef, secretRef } = source;
    return [
      ...(prefix === '' ? [] : nameErrors(`${at}.prefix`, prefix)),
      ...(configMapRef === undefined ? [] : objectNameErrors(`${at}.configMapRef.name`, configMapRef.name ?? '')),
      ...(secretRef === undefined ? [] : objectNameErrors(`${at}.secretRef.name`, secretRef.name ?? '')),
      ...(configMapRef === undefined && secretRef === undefined
        ? [invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')]
        : []),
      ...(configMapRef !== undefined && secretRef !== undefined
        ? [invalid(path, '', 'may not have more than one field specified at a time')]
        : []),
    ];
  });

/** Whether only ECS knows the value of a variable: it is of a Secret, or an address. */
export type IsSecret = (name: string) => boolean;

/** Which of a container's variables are so. The last definition of a name counts. */
export function secretVariables({ env = [], envFrom = [] }: Pick<ContainerShape, 'env' | 'envFrom'>): IsSecret {
  const own = new Map<string, boolean>();
  for (const variable of env) note(variable, own);
  return (name) => own.get(name) ?? mayBeSecret(name, envFrom);
}

const note = ({ name = '', valueFrom }: EnvShape, secrets: Map<string, boolean>): void => {
  const isAddress = ADDRESS_FIELDS.has(valueFrom?.fieldRef?.fieldPath ?? '');
  secrets.set(name, valueFrom?.secretKeyRef !== undefined || isAddress);
};

/** By its prefix, a variable can be of a Secret, and of no ConfigMap. Without a prefix, any word of a script could. */
const mayBeSecret = (name: string, envFrom: readonly EnvFromShape[]): boolean =>
  name !== INDEX_VARIABLE &&
  envFrom.some(({ prefix = '', secretRef }) => prefix !== '' && secretRef !== undefined && isLonger(name, prefix)) &&
  !envFrom.some(({ prefix = '', configMapRef }) => configMapRef !== undefined && isLonger(name, prefix));

const isLonger = (name: string, prefix: string): boolean => name.length > prefix.length && name.startsWith(prefix);

/** The faults of a word of a command line, or of a value. */
export function wordErrors(path: string, word: string, isSecret: IsSecret): readonly FieldError[] {
  if (word.includes('\0')) return [invalid(path, word, 'must not contain NUL')];
  const secret = referredVariables(word).find(isSecret);
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
    ...(fieldRef === undefined ? [] : fieldRefErrors(`${path}.fieldRef`, fieldRef, ENV_FIELDS)),
    ...(resourceFieldRef === undefined ? [] : resourceRefErrors(`${path}.resourceFieldRef`, resourceFieldRef, context)),
    ...(secretKeyRef === undefined ? [] : keyRefErrors('secretKeyRef', path, secretKeyRef)),
    ...(configMapKeyRef === undefined ? [] : keyRefErrors('configMapKeyRef', path, configMapKeyRef)),
  ];
}
