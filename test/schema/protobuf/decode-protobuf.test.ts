import { readFileSync } from 'node:fs';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MANIFEST_BYTES_MAX } from '../../../shared/schema/text/document.ts';
import { admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { jsonFieldsOf } from '../../../shared/schema/kinds/json-fields-of.ts';
import type { Field, FieldType } from '../../../shared/schema/kinds/kind-table.ts';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';
import { decodeProtobuf } from '../../../shared/schema/protobuf/decode-protobuf.ts';
import { type Json, encodeMessage, encodeProtobuf, wrap } from './encode-protobuf.ts';
import { everyField } from './every-field.ts';
import { draws } from '../../verify/draws.ts';

/** Bodies that kubectl has sent, and what kubectl 1.31, which sends JSON, sends for the same command. */
type Recorded = {
  readonly command: string;
  readonly json?: unknown;
  readonly protobuf: readonly { readonly kubectl: readonly string[]; readonly base64: string }[];
};
const RECORDED = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8')) as readonly Recorded[];
const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));
const isObjectOf = (json: unknown): json is { readonly kind: string } =>
  typeof json === 'object' && json !== null && 'kind' in json && typeof json.kind === 'string';

/** Of kinds that there are. */
const BODIES = RECORDED.flatMap(({ command, json, protobuf }) =>
  protobuf.map(({ kubectl, base64 }) => ({ name: `${command} (${kubectl.join(', ')})`, bytes: bytesOf(base64), json })),
).filter(({ json }) => !isObjectOf(json) || Object.hasOwn(KINDS, json.kind));

const decoded = (bytes: Uint8Array): Json => {
  const result = decodeProtobuf(bytes);
  if (result.kind === 'unreadable') throw new Error(result.reason);
  return result.value;
};
const reasonOf = (bytes: Uint8Array): string => {
  const result = decodeProtobuf(bytes);
  return result.kind === 'unreadable' ? result.reason : `decoded: ${JSON.stringify(result.value)}`;
};

/** Go writes null for what is not there. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])),
  );
};

describe('what kubectl sends', () => {
  test.each(BODIES.filter(({ json }) => json !== undefined))(
    '$name is what JSON would have said',
    ({ bytes, json }) => {
      expect(decoded(bytes)).toEqual(withoutNulls(json));
    },
  );

  test('create job is admitted as the same Job', () => {
    const context = { namespace: 'default', uid: 'u', nameSuffix: 'abcde', fieldValidation: 'Strict' } as const;
    const bodies = BODIES.filter(({ name }) => name.includes('create job hello'));
    expect(bodies.length).toBeGreaterThan(0);
    for (const { bytes, json } of bodies) {
      const admitted = admitJob(decoded(bytes), context);
      expect(admitted.kind).toBe('ok');
      expect(admitted).toEqual(admitJob(json, context));
    }
  });

  test('a Job with every field that kubectl 1.33 knows comes through whole', () => {
    const body = BODIES.find(({ name }) => name.includes('everything'));
    expect(decoded(body!.bytes)['spec']).toEqual(everyField('JobSpec'));
  });
});

describe('what is written by the table is read by it', () => {
  const ROOTS = Object.keys(KINDS).filter(
    (name) => KINDS[name]!.apiVersion !== undefined && KINDS[name]!.jsonOnly !== true,
  );

  test.each(ROOTS)('a random %s', (kind) => {
    fc.assert(
      fc.property(someObject(kind), (fields) => {
        const object = { apiVersion: KINDS[kind]!.apiVersion!, kind, ...fields };
        expect(decoded(encodeProtobuf(object))).toEqual(object);
      }),
      { numRuns: draws(50), seed: 4 },
    );
  });

  test.each(ROOTS)('%s with every field', (kind) => {
    const object = { apiVersion: KINDS[kind]!.apiVersion!, kind, ...everyField(kind) };
    expect(decoded(encodeProtobuf(object))).toEqual(object);
  });
});

/** An object of the type with a few of its fields, and all that Go never leaves out. */
function someObject(name: string): fc.Arbitrary<Json> {
  const fields = jsonFieldsOf(KINDS, name);
  const kept = fields.filter(([, field]) => isNeverLeftOut(field));
  const others = fields.filter(([, field]) => !isNeverLeftOut(field));
  return fc.subarray(others, { maxLength: Math.min(3, others.length) }).chain((chosen) => {
    const arbitraries = [...kept, ...chosen].map(([key, field]) => [
      key,
      someValue(field.type, !isNeverLeftOut(field) && field.zero === undefined),
    ]);
    return fc.record(Object.fromEntries(arbitraries) as Record<string, fc.Arbitrary<unknown>>) as fc.Arbitrary<Json>;
  });
}

const SCALARS = new Set<FieldType['is']>(['string', 'bool', 'int32', 'int64']);
const isNeverLeftOut = ({ required, type }: Field): boolean => required === true && SCALARS.has(type.is);

/** `dropsZero`: a zero would be left out, and so there must be none. */
function someValue(type: FieldType, dropsZero = false): fc.Arbitrary<unknown> {
  switch (type.is) {
    case 'object':
      return someObject(type.of);
    case 'list':
      return fc.array(someValue(type.of), { minLength: 1, maxLength: 3 });
    case 'map':
      return fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        someValue(type.of),
        { minKeys: 1, maxKeys: 3, noNullPrototype: true },
      );
    case 'string':
      return fc.string({ unit: 'grapheme', minLength: dropsZero ? 1 : 0 });
    case 'bytes':
      return fc.uint8Array({ minLength: dropsZero ? 1 : 0 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'bool':
      return dropsZero ? fc.constant(true) : fc.boolean();
    case 'int32':
      return fc.integer().filter((value) => !dropsZero || value !== 0);
    case 'int64':
      return fc.maxSafeInteger().filter((value) => !dropsZero || value !== 0);
    case 'quantity':
      return fc.nat().map((value) => `${value}m`);
    case 'time':
      return fc
        .integer({ min: -62_167_219_200, max: 253_402_300_799 })
        .map((seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'));
    case 'microTime':
      return fc
        .tuple(fc.integer({ min: 0, max: 2_000_000_000 }), fc.nat(999_999))
        .map(([seconds, micros]) =>
          new Date(seconds * 1000).toISOString().replace('.000Z', `.${String(micros).padStart(6, '0')}Z`),
        );
    case 'intOrString':
      return fc.oneof(fc.integer(), fc.string());
    case 'fieldsV1':
      return fc.constantFrom({}, { 'f:spec': { '.': {}, 'k:{"name":"main"}': {} } });
  }
}

const len = (no: number, bytes: Uint8Array | string): Uint8Array => {
  const writer = new BinaryWriter().tag(no, WireType.LengthDelimited);
  return (typeof bytes === 'string' ? writer.string(bytes) : writer.bytes(bytes)).finish();
};
const int = (no: number, value: number | bigint): Uint8Array =>
  new BinaryWriter().tag(no, WireType.Varint).int64(value).finish();
const job = (...parts: readonly Uint8Array[]): Uint8Array => wrap('batch/v1', 'Job', Buffer.concat(parts));
const spec = (...parts: readonly Uint8Array[]): Uint8Array => job(len(2, Buffer.concat(parts)));
const meta = (...parts: readonly Uint8Array[]): Uint8Array => job(len(1, Buffer.concat(parts)));

describe('zeroes', () => {
  test('those of pointers stay, others go as they go in JSON', () => {
    const fields = {
      template: {
        spec: { containers: [{ name: '', image: '', tty: false, ports: [{ containerPort: 0, hostPort: 0 }] }] },
      },
      suspend: false,
      parallelism: 0,
      completionMode: '',
    };
    expect(decoded(spec(encodeMessage('JobSpec', fields)))['spec']).toEqual({
      parallelism: 0,
      completionMode: '',
      suspend: false,
      template: { spec: { containers: [{ name: '', ports: [{ containerPort: 0 }] }] } },
    });
  });

  test('the zero time is not there, and neither is an empty list', () => {
    expect(decoded(meta(len(8, ''), len(1, 'a')))['metadata']).toEqual({ name: 'a' });
  });

  test('a quantity without its text is 0, as Go shows it', () => {
    const container = (...parts: readonly Uint8Array[]) => spec(len(6, len(2, len(2, Buffer.concat(parts)))));
    const env = container(len(7, len(3, len(2, len(3, '')))));
    expect(decoded(env)).toHaveProperty(['spec', 'template', 'spec', 'containers', 0, 'env', 0, 'valueFrom'], {
      resourceFieldRef: { divisor: '0' },
    });
    const limits = container(len(8, len(1, len(1, 'cpu'))));
    expect(decoded(limits)).toHaveProperty(['spec', 'template', 'spec', 'containers', 0, 'resources', 'limits'], {
      cpu: '0',
    });
  });

  const FIRST_SEC = -62_167_219_200;
  const LAST_SEC = 253_402_300_799;
  test.each([
    [FIRST_SEC, '0000-01-01T00:00:00Z'],
    [LAST_SEC, '9999-12-31T23:59:59Z'],
  ])('times have a year of four digits: %i s is %s, and one more is refused', (sec, time) => {
    expect(decoded(meta(len(8, int(1, sec))))['metadata']).toEqual({ creationTimestamp: time });
    expect(reasonOf(meta(len(8, int(1, sec + Math.sign(sec)))))).toMatch(/beyond all years/);
  });

  test('1970 is not the zero time', () => {
    expect(decoded(meta(len(8, int(1, 0))))['metadata']).toEqual({ creationTimestamp: '1970-01-01T00:00:00Z' });
  });
});

describe('a client that is newer than the table', () => {
  const more = (...parts: readonly Uint8Array[]) =>
    reasonOf(spec(len(6, len(2, Buffer.concat([len(3, 'Never'), ...parts])))));

  test('may send the zeroes of fields that are not set', () => {
    expect(decoded(spec(len(6, len(2, Buffer.concat([int(77, 0), len(3, 'Never'), len(78, '')])))))['spec']).toEqual({
      template: { spec: { restartPolicy: 'Never' } },
    });
  });

  test('may say nothing in them', () => {
    expect(more(int(77, 1))).toMatch(/: spec\.template\.spec: PodSpec has no field 77$/);
    expect(more(int(77, 2n ** 40n))).toMatch(/PodSpec has no field 77$/);
    expect(more(len(78, 'x'))).toMatch(/PodSpec has no field 78$/);
    expect(more(new BinaryWriter().tag(79, WireType.Bit32).fixed32(0).finish())).toMatch(/PodSpec has no field 79$/);
  });
});

describe('a field that comes twice', () => {
  test('the last scalar stays, also if it is the zero that is left out', () => {
    expect(decoded(meta(len(1, 'a'), len(1, 'b')))['metadata']).toEqual({ name: 'b' });
    expect(decoded(meta(len(1, 'a'), len(1, '')))['metadata']).toEqual({});
  });

  test('objects are merged, lists grow', () => {
    expect(decoded(spec(len(4, len(2, len(1, 'a'))), len(4, len(2, len(1, 'b')))))['spec']).toEqual({
      selector: { matchExpressions: [{ key: 'a' }, { key: 'b' }] },
    });
  });

  test('numbers may be packed or not', () => {
    const values = (...parts: readonly Uint8Array[]) => spec(len(11, len(1, len(2, Buffer.concat(parts)))));
    const expected = { podFailurePolicy: { rules: [{ onExitCodes: { values: [1, 300, 2] } }] } };
    expect(decoded(values(int(3, 1), int(3, 300), int(3, 2)))['spec']).toEqual(expected);
    expect(decoded(values(len(3, Uint8Array.of(1, 0xac, 2, 2))))['spec']).toEqual(expected);
  });
});

describe('what is refused', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /does not begin with k8s/],
    ['JSON', Buffer.from('{"kind":"Job"}'), /does not begin with k8s/],
    ['the magic bytes alone', Buffer.from('k8s\0'), /holds no object/],
    [
      'a kind that is none',
      wrap('batch/v1', 'Cronjob', new Uint8Array()),
      /no kind "Cronjob" is registered for version "batch\/v1"/,
    ],
    ['a part of a kind', wrap('batch/v1', 'JobSpec', new Uint8Array()), /no kind "JobSpec"/],
    ['a name that every object has', wrap('v1', 'constructor', new Uint8Array()), /no kind "constructor"/],
    [
      'another version',
      wrap('batch/v2', 'Job', new Uint8Array()),
      /no kind "Job" is registered for version "batch\/v2"/,
    ],
    ['an unknown field', spec(int(99, 1)), /: spec: JobSpec has no field 99$/],
    [
      'an unknown field deep down',
      spec(len(6, len(2, Buffer.concat([len(2, len(1, 'a')), len(2, int(77, 1))])))),
      /: spec\.template\.spec\.containers\[1\]: Container has no field 77$/,
    ],
    [
      'an unknown field of an embedded struct',
      spec(len(6, len(2, len(1, len(2, int(55, 1)))))),
      /: spec\.template\.spec\.volumes\[0\]: VolumeSource has no field 55$/,
    ],
    ['a string for a number', spec(len(1, 'x')), /: spec\.parallelism: wire type 2, not 0$/],
    ['a number for an object', job(int(2, 1)), /: spec: wire type 0, not 2$/],
    [
      'a group',
      spec(new BinaryWriter().tag(1, WireType.StartGroup).tag(1, WireType.EndGroup).finish()),
      /: spec\.parallelism: wire type 3, not 0$/,
    ],
    ['field 0', job(Uint8Array.of(0)), /illegal tag/],
    ['a length beyond the end', job(Uint8Array.of(0x12, 0x7f, 1)), /: premature EOF$/],
    ['a length of 4 GiB', job(Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0x0f)), /: premature EOF$/],
    ['a number without an end', spec(Uint8Array.of(8, ...Array<number>(20).fill(0xff))), /invalid varint/],
    ['a number that is no int32', spec(int(1, 2 ** 31)), /: spec\.parallelism: 2147483648 is not between/],
    [
      'a number that JavaScript has not',
      spec(int(3, 2n ** 60n)),
      /: spec\.activeDeadlineSeconds: 1152921504606846976 is not between/,
    ],
    ['text that is no UTF-8', meta(len(1, Uint8Array.of(0xff, 0xfe))), /: metadata\.name: /],
    [
      'a key that walks skip',
      meta(len(11, Buffer.concat([len(1, '__proto__'), len(2, 'x')]))),
      /: metadata\.labels: key "__proto__"$/,
    ],
    ['more than an entry in a map', meta(len(11, int(3, 1))), /an entry of a map has no field 3/],
    ['a time beyond all years', meta(len(8, int(1, 2 ** 50))), /: metadata\.creationTimestamp: .* beyond all years/],
    [
      'managed fields that are no JSON',
      meta(len(17, len(7, len(1, '{')))),
      /: metadata\.managedFields\[0\]\.fieldsV1: json parse error/,
    ],
    [
      'managed fields that are too deep',
      meta(len(17, len(7, len(1, `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`)))),
      /nested deeper than 100 levels/,
    ],
    ['more than a manifest may have', new Uint8Array(MANIFEST_BYTES_MAX + 1), /larger than 262144 bytes/],
  ])('%s', (_, bytes, reason) => {
    expect(reasonOf(bytes)).toMatch(/^protobuf parse error: /);
    expect(reasonOf(bytes)).toMatch(reason);
  });

  const envelope = (...parts: readonly Uint8Array[]) =>
    Buffer.concat([
      Buffer.from('k8s\0'),
      len(1, Buffer.concat([len(1, 'batch/v1'), len(2, 'Job')])),
      len(2, ''),
      ...parts,
    ]);
  test('an envelope that says what we do not do', () => {
    expect(decoded(envelope())).toEqual({ apiVersion: 'batch/v1', kind: 'Job' });
    expect(decoded(envelope(len(4, 'application/vnd.kubernetes.protobuf')))).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
    });
    expect(reasonOf(envelope(len(3, 'gzip')))).toMatch(/content encoding "gzip" is not known/);
    expect(reasonOf(envelope(len(4, 'application/json')))).toMatch(/content type "application\/json" is not known/);
    expect(reasonOf(envelope(len(5, '')))).toMatch(/the envelope has no field 5/);
    expect(reasonOf(envelope(int(2, 1)))).toMatch(/raw of the envelope has wire type 0/);
  });

  test('options for a deletion come under the group of what is deleted', () => {
    const options = {
      apiVersion: 'batch/v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      gracePeriodSeconds: 0,
    };
    expect(decoded(encodeProtobuf(options))).toEqual(options);
  });
});

describe('hostile bytes', () => {
  test.each(BODIES)('$name, cut off anywhere: unreadable, or everything that was sent', ({ bytes }) => {
    const whole = decoded(bytes);
    const told: unknown[] = [];
    for (let length = 0; length < bytes.length; length += bytes.length > 2000 ? 7 : 1) {
      const result = decodeProtobuf(bytes.subarray(0, length));
      if (result.kind === 'decoded') told.push(result.value);
    }
    // Only the two empty fields after the object may be missing.
    expect(told.length).toBeLessThan(5);
    expect(told).toEqual(told.map(() => whole));
  });

  test('random bytes, with and without an envelope, never throw', () => {
    const wrapped = fc
      .tuple(fc.constantFrom('Job', 'CronJob'), fc.uint8Array({ maxLength: 300 }))
      .map(([kind, bytes]) => wrap('batch/v1', kind, bytes));
    const magic = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.concat([Buffer.from('k8s\0'), bytes]));
    fc.assert(
      fc.property(fc.oneof(wrapped, magic, fc.uint8Array({ maxLength: 300 })), (bytes) => {
        expect(['decoded', 'unreadable']).toContain(decodeProtobuf(bytes).kind);
      }),
      { numRuns: draws(3000), seed: 5 },
    );
  });

  test('recorded bodies with some bytes changed never throw', () => {
    const seen = { decoded: 0, unreadable: 0 };
    const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...BODIES), change, ({ bytes }, changes) => {
        const changed = Uint8Array.from(bytes);
        for (const [at, byte] of changes) changed[4 + (at % (bytes.length - 4))] = byte;
        seen[decodeProtobuf(changed).kind]++;
      }),
      { numRuns: draws(3000), seed: 6 },
    );
    expect(seen.decoded).toBeGreaterThan(draws(100));
    expect(seen.unreadable).toBeGreaterThan(draws(100));
  });

  test('as many empty containers as fit into a body are read', () => {
    const count = 100_000;
    const containers = Buffer.from('1200'.repeat(count), 'hex');
    const value = decoded(spec(len(6, len(2, containers))));
    expect(value).toHaveProperty(['spec', 'template', 'spec', 'containers', 'length'], count);
  });
});
