import type { FieldType, KindTable, Scalar } from '../../schema/kinds/kind-table.ts';
import { stepText } from './field-set.ts';
import { goText } from './go-text.ts';
import { isList, isObject } from './json-value.ts';
import { type Shape, fieldNamed, shapeOf } from './kind-fields.ts';
import { type ItemsShape, stepTo } from './list-steps.ts';

/** More help nobody. */
const FAULTS_MAX = 50;

/**
 * Why a value is not of its type, in structured-merge-diff's words: `.spec.x: field not declared in schema`. Server-side
 * apply must know of every field whose it is, so it ignores nothing.
 */
export function typedFaults(table: KindTable, type: FieldType, value: unknown): readonly string[] {
  const faults: string[] = [];
  check({ table, faults }, '', type, value);
  return faults;
}

type Findings = { readonly table: KindTable; readonly faults: string[] };

function check(findings: Findings, path: string, type: FieldType, value: unknown): void {
  if (findings.faults.length >= FAULTS_MAX || value === null || value === undefined) return;
  const shape = shapeOf(findings.table, type);
  const fault = misfit(shape, type, value);
  if (fault !== null) {
    findings.faults.push(path === '' ? fault : `${path}: ${fault}`);
    return;
  }
  // An atomic value is one leaf, but of a type nevertheless.
  if (type.is === 'list' && isList(value)) checkItems(findings, path, shape, type.of, value);
  else if (type.is !== 'list' && isObject(value)) checkKeys(findings, path, type, value);
}

function checkKeys(findings: Findings, path: string, type: FieldType, object: object): void {
  const { table, faults } = findings;
  const of = type.is === 'object' && Object.hasOwn(table, type.of) ? table[type.of] : undefined;
  if (of === undefined && type.is !== 'map') return;
  for (const [key, inner] of Object.entries(object)) {
    if (faults.length >= FAULTS_MAX) return;
    const under = type.is === 'map' ? type.of : of === undefined ? null : (fieldNamed(table, of, key)?.type ?? null);
    if (under === null) faults.push(`${path}.${key}: field not declared in schema`);
    else check(findings, `${path}.${key}`, under, inner);
  }
}

function checkItems(findings: Findings, path: string, shape: Shape, of: FieldType, list: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    if (findings.faults.length >= FAULTS_MAX) return;
    const found = isItems(shape) ? stepTo(shape, item) : { step: `i:${i}` };
    if ('fault' in found) {
      findings.faults.push(`${path}: element ${i}: ${found.fault}`);
      continue;
    }
    if (seen.has(found.step)) findings.faults.push(`${path}: duplicate entries for key ${stepText(found.step)}`);
    seen.add(found.step);
    check(findings, `${path}${stepText(found.step)}`, of, item);
  }
}

const isItems = (shape: Shape): shape is ItemsShape => shape.kind === 'set' || shape.kind === 'keyed';

/** What a value of this type must be, if it is not. */
function misfit(shape: Shape, type: FieldType, value: unknown): string | null {
  if (shape.kind === 'atomic' && shape.is === 'anything') return null;
  if (type.is === 'list') return isList(value) ? null : `expected list, got &{${goText(value)}}`;
  if (type.is === 'map' || type.is === 'object')
    return isObject(value) ? null : `expected map, got &{${goText(value)}}`;
  const wanted = scalarMisfit(type.is, value);
  const said = isObject(value) || isList(value) ? goText(value) : JSON.stringify(value);
  return wanted === null ? null : `expected ${wanted}, got &value.valueUnstructured{Value:${said}}`;
}

function scalarMisfit(is: Scalar, value: unknown): string | null {
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
