import { describe, expect, test } from 'vitest';
import { SECRET_FORM } from '../../schema/secret-form.ts';
import { admitted, base64, replaced } from './a-secret.ts';

const OPAQUE = { type: 'Opaque' };
const MIB = 1024 * 1024;

test.each<readonly [what: string, contents: object, stored: object]>([
  ['nothing', {}, OPAQUE],
  ['a type that nobody knows', { type: 'example.com/own' }, { type: 'example.com/own' }],
  ['bytes', { data: { a: base64('x') } }, { ...OPAQUE, data: { a: base64('x') } }],
  ['texts, as bytes', { stringData: { a: 'é' } }, { ...OPAQUE, data: { a: base64('é') } }],
  [
    'texts in the place of bytes',
    { data: { a: base64('x'), b: base64('y') }, stringData: { a: 'z' } },
    { ...OPAQUE, data: { a: base64('z'), b: base64('y') } },
  ],
  ['an empty value', { data: { a: null }, stringData: { b: null } }, { ...OPAQUE, data: { a: '', b: '' } }],
  ['last bits that say nothing', { data: { a: 'YR==' } }, { ...OPAQUE, data: { a: 'YQ==' } }],
  ['1 MiB', { stringData: { a: 'x'.repeat(MIB) } }, { ...OPAQUE, data: { a: base64('x'.repeat(MIB)) } }],
])('is stored with %s', (_, contents, stored) => {
  expect(admitted(SECRET_FORM, contents)).toEqual(stored);
});

test.each<readonly [what: string, contents: object, faults: unknown]>([
  ['too much', { stringData: { a: 'x'.repeat(MIB), b: 'x' } }, ['data: Too long: may not be more than 1048576 bytes']],
  [
    'a key of a path',
    { stringData: { 'a/b': '' } },
    [expect.stringMatching(/^data\[a\/b\]: Invalid value: "a\/b": a valid/)],
  ],
  [
    'a number as a text',
    { stringData: { a: 1234 } },
    expect.stringMatching(/unmarshal number into field stringData.a of/),
  ],
])('is refused: %s', (_, contents, faults) => {
  expect(admitted(SECRET_FORM, contents)).toEqual(faults);
});

// Where Go's decoder finds the fault (encoding/base64, CorruptInputError).
test.each([
  ['canary!', 6],
  ['YQ', 0],
  ['YWJjZA', 4],
  ['YQ=', 3],
  ['Y===', 1],
  ['=', 0],
])('%s is no base64, from byte %i on', (value, at) => {
  expect(admitted(SECRET_FORM, { data: { a: value } })).toBe(
    `Secret in version "v1" cannot be handled as a Secret: field data.a: illegal base64 data at input byte ${at}`,
  );
});

describe('a type says what a Secret must have', () => {
  const required = (key: string): string => `data[${key}]: Required value`;
  const redacted = (key: string): string =>
    `data[${key}]: Invalid value: "<secret contents redacted>": it must be an object of JSON`;

  test.each<readonly [type: string, stringData: object, faults: readonly string[] | null]>([
    ['dockercfg', { '.dockercfg': '{"a":{}}' }, null],
    ['dockercfg', {}, [required('.dockercfg')]],
    ['dockercfg', { '.dockercfg': '{"canary' }, [redacted('.dockercfg')]],
    ['dockerconfigjson', { '.dockerconfigjson': '{"auths":{}}' }, null],
    ['dockerconfigjson', { '.dockerconfigjson': 'null' }, null],
    ['dockerconfigjson', { '.dockerconfigjson': '[]' }, [redacted('.dockerconfigjson')]],
    ['dockerconfigjson', { a: '' }, [required('.dockerconfigjson')]],
    ['basic-auth', { username: '' }, null],
    ['basic-auth', { password: '' }, null],
    ['basic-auth', {}, [required('username'), required('password')]],
    ['ssh-auth', { 'ssh-privatekey': 'x' }, null],
    ['ssh-auth', { 'ssh-privatekey': '' }, [required('ssh-privatekey')]],
    ['tls', { 'tls.crt': '', 'tls.key': '' }, null],
    ['tls', { 'tls.crt': '' }, [required('tls.key')]],
    ['tls', {}, [required('tls.crt'), required('tls.key')]],
  ])('kubernetes.io/%s with %j', (type, stringData, faults) => {
    const named = { type: `kubernetes.io/${type}` };
    const stored: unknown = { ...named, data: expect.any(Object) as unknown };
    expect(admitted(SECRET_FORM, { ...named, stringData })).toEqual(faults ?? stored);
  });

  test('a token of an account names it', () => {
    const type = 'kubernetes.io/service-account-token';
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    expect(admitted(SECRET_FORM, { type }, { annotations })).toEqual({ type });
    expect(admitted(SECRET_FORM, { type })).toEqual([
      'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ]);
  });
});

const BEFORE = { ...OPAQUE, data: { a: base64('1') } };
const FIXED = { ...BEFORE, immutable: true };

test.each<readonly [what: string, before: object, contents: object, outcome: unknown]>([
  ['keeps its type', BEFORE, { ...BEFORE, type: 'other' }, ['type: Invalid value: "other": field is immutable']],
  ['changes', BEFORE, { stringData: { a: '2' } }, { ...OPAQUE, data: { a: base64('2') } }],
  ['that is immutable says the same', FIXED, { immutable: true, stringData: { a: '1' } }, FIXED],
  [
    'that is immutable keeps its values',
    FIXED,
    { immutable: true, stringData: { a: '2' } },
    ['data: Forbidden: field is immutable when `immutable` is set'],
  ],
  ['that is immutable stays so', FIXED, BEFORE, ['immutable: Forbidden: field is immutable when `immutable` is set']],
])('a Secret %s', (_, before, contents, outcome) => {
  expect(replaced(SECRET_FORM, before, contents)).toEqual(outcome);
});
