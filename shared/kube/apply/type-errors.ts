import { isConfidential } from '../../domain/kinds/api-kinds.ts';
import type { FieldType, KindTable, Scalar } from '../../schema/kinds/kind-table.ts';
import { stepText } from './field-set.ts';
import { goText } from '../patch/go-text.ts';
import { isList, isObject } from '../patch/json-value.ts';
import { REDACTED } from '../../schema/object/field-error.ts';
import { type Shape, fieldNamed, shapeOf } from '../patch/kind-fields.ts';
import { type ItemsShape, stepTo } from '../patch/list-steps.ts';

/** The end of an error about a field that its type does not have. */
export const UNDECLARED = ': field not declared in schema';

/** More errors do not help. */
const FAULTS_MAX = 50;

/**
 * Why a value does not have its type, in structured-merge-diff's words: `.spec.x: field not declared in schema`. Server-side
 * apply must know the owner of every field, so it ignores nothing. No value of a confidential object is repeated.
 */
export function typedErrors(table: KindTable, type: FieldType, value: unknown): readonly string[] {
  const errors: string[] = [];
  const isTold = type.is !== 'object' || !isConfidential(type.of);
  check({ table, errors, isTold }, '', type, value);
  return errors;
}

type Findings = { readonly table: KindTable; readonly errors: string[]; readonly isTold: boolean };

function check(findings: Findings, path: string, type: FieldType, value: unknown): void {
  if (findings.errors.length >= FAULTS_MAX || value === null || value === undefined) return;
  const shape = shapeOf(findings.table, type);
  const fieldError = typeError(shape, type, value, findings.isTold);
  if (fieldError !== null) {
    findings.errors.push(path === '' ? fieldError : `${path}: ${fieldError}`);
    return;
  }
  // An atomic value is one leaf, but it still has a type.
  if (type.is === 'list' && isList(value)) checkItems(findings, path, shape, type.of, value);
  else if (type.is !== 'list' && isObject(value)) checkKeys(findings, path, type, value);
}

function checkKeys(findings: Findings, path: string, type: FieldType, object: object): void {
  const { table, errors } = findings;
  const of = type.is === 'object' && Object.hasOwn(table, type.of) ? table[type.of] : undefined;
  if (of === undefined && type.is !== 'map') return;
  for (const [key, inner] of Object.entries(object)) {
    if (errors.length >= FAULTS_MAX) return;
    const under = type.is === 'map' ? type.of : of === undefined ? null : (fieldNamed(table, of, key)?.type ?? null);
    if (under === null) errors.push(`${path}.${key}${UNDECLARED}`);
    else check(findings, `${path}.${key}`, under, inner);
  }
}

function checkItems(findings: Findings, path: string, shape: Shape, of: FieldType, list: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    if (findings.errors.length >= FAULTS_MAX) return;
    const found = isItems(shape) ? stepTo(shape, item) : { step: `i:${i}` };
    if ('fieldError' in found) {
      findings.errors.push(`${path}: element ${i}: ${found.fieldError}`);
      continue;
    }
    if (seen.has(found.step)) findings.errors.push(`${path}: duplicate entries for key ${stepText(found.step)}`);
    seen.add(found.step);
    check(findings, `${path}${stepText(found.step)}`, of, item);
  }
}

const isItems = (shape: Shape): shape is ItemsShape => shape.kind === 'set' || shape.kind === 'keyed';

/** What a value of this type must be, if it is not. */
function typeError(shape: Shape, type: FieldType, value: unknown, isTold: boolean): string | null {
  const got = (said: () => string): string => (isTold ? `got &${said()}` : `got ${REDACTED}`);
  if (shape.kind === 'atomic' && shape.is === 'anything') return null;
  if (type.is === 'list') return isList(value) ? null : `expected list, ${got(() => `{${goText(value)}}`)}`;
  if (type.is === 'map' || type.is === 'object')
    return isObject(value) ? null : `expected map, ${got(() => `{${goText(value)}}`)}`;
  const wanted = scalarTypeError(type.is, value);
  const said = (): string => (isObject(value) || isList(value) ? goText(value) : JSON.stringify(value));
  return wanted === null ? null : `expected ${wanted}, ${got(() => `value.valueUnstructured{Value:${said()}}`)}`;
}

function scalarTypeError(is: Scalar, value: unknown): string | null {
  switch (is) {
    case 'bool':
      return typeof value === 'boolean' ? null : 'boolean';
    case 'int32':
    case 'int64':
      return typeof value === 'number' ? null : 'numeric (int or float)';
    case 'quantity':
    case 'intOrString':
      return typeof value === 'string' || typeof value === 'number' ? null : 'string';
    case 'fieldsV1':
      return null;
    case 'string':
    case 'bytes':
    case 'time':
    case 'microTime':
      return typeof value === 'string' ? null : 'string';
  }
}
