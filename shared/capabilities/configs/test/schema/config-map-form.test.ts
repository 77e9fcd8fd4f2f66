import { expect, test } from 'vitest';
import { CONFIG_MAP_FORM } from '../../schema/config-map-form.ts';
import { admitted, base64, replaced } from './a-secret.ts';

const KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const MIB = 1024 * 1024;

test.each<readonly [what: string, contents: object, stored: object]>([
  ['nothing', { data: {}, binaryData: null }, {}],
  ['values in the order of their keys', { data: { b: '2', a: '1' } }, { data: { a: '1', b: '2' } }],
  ['an empty value', { data: { a: null, b: '' } }, { data: { a: '', b: '' } }],
  ['bytes', { binaryData: { a: base64('bytes') } }, { binaryData: { a: base64('bytes') } }],
  ['base64 with line breaks', { binaryData: { a: 'Ynl0\r\nZXM=\n' } }, { binaryData: { a: 'Ynl0ZXM=' } }],
  ['immutable', { immutable: false }, { immutable: false }],
  ['1 MiB', { data: { a: 'x'.repeat(MIB) } }, { data: { a: 'x'.repeat(MIB) } }],
])('is stored with %s', (_, contents, stored) => {
  expect(admitted(CONFIG_MAP_FORM, contents)).toEqual(stored);
});

test.each<readonly [contents: object, faults: unknown]>([
  [{ data: { 'a b': '' } }, [`data[a b]: Invalid value: "a b": ${KEY}`]],
  [{ data: { '': '' } }, [`data[]: Invalid value: "": ${KEY}`]],
  [{ binaryData: { '.': '' } }, [`binaryData[.]: Invalid value: ".": must not be '.'`]],
  [{ data: { '..': '' } }, [`data[..]: Invalid value: "..": must not be '..'`]],
  [{ data: { '..a': '' } }, [`data[..a]: Invalid value: "..a": must not start with '..'`]],
  [
    { data: { ['a'.repeat(254)]: '' } },
    [expect.stringMatching(/^data\[a{254}\]: Invalid value: "a+\.\.\.: must be no more than 253 characters$/)],
  ],
  [
    { data: { a: '' }, binaryData: { a: '' } },
    [
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
      'binaryData[a]: Invalid value: "a": duplicate of key present in data',
    ],
  ],
  [{ data: { a: 'é'.repeat(MIB / 2), b: 'x' } }, ['[]: Too long: may not be more than 1048576 bytes']],
  [
    { data: { a: 'x'.repeat(MIB) }, binaryData: { b: base64('x') } },
    ['[]: Too long: may not be more than 1048576 bytes'],
  ],
  [
    { binaryData: { a: 'abc' } },
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: field binaryData.a: illegal base64 data at input byte 0',
  ],
  [
    { data: { a: 1 } },
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into field data.a of type string',
  ],
])('is refused: %j', (contents, faults) => {
  expect(admitted(CONFIG_MAP_FORM, contents)).toEqual(faults);
});

const BEFORE = { immutable: true, data: { a: '1' }, binaryData: { b: base64('2') } };

test.each<readonly [what: string, before: object, contents: object, outcome: unknown]>([
  ['stays as it is', BEFORE, BEFORE, BEFORE],
  [
    'is not made mutable',
    BEFORE,
    { ...BEFORE, immutable: false },
    ['immutable: Forbidden: field is immutable when `immutable` is set'],
  ],
  [
    'keeps its values',
    BEFORE,
    { immutable: true, data: { a: '2' } },
    [
      'data: Forbidden: field is immutable when `immutable` is set',
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ],
  ],
  ['changes as long as it is not', { data: { a: '1' } }, { data: { a: '2' } }, { data: { a: '2' } }],
])('one that is immutable %s', (_, before, contents, outcome) => {
  expect(replaced(CONFIG_MAP_FORM, before, contents)).toEqual(outcome);
});
