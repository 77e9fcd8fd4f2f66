import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { type NamespaceDocument, freshNamespace, terminating } from '../../../shared/domain/manifests/namespace.ts';
import { admitNamespace, admitNamespaceUpdate } from '../../../shared/schema/namespace/namespace-admission.ts';
import type { FieldValidation } from '../../../shared/schema/object/read-object.ts';

const AT = asEpochMs(1_700_000_000_000);

const admit = (document: unknown, fieldValidation: FieldValidation = 'Strict') =>
  admitNamespace(document, { uid: 'u-1', nameSuffix: 'abcde', fieldValidation, at: AT });
const named = (metadata: object, more: object = {}) => ({ apiVersion: 'v1', kind: 'Namespace', metadata, ...more });
const faultsOf = (answer: ReturnType<typeof admit> | ReturnType<typeof update>): readonly string[] =>
  answer.kind === 'invalid' ? answer.errors.map(({ path, kind, message }) => `${path} ${kind}: ${message}`) : [];

describe('a new namespace', () => {
  test('is stored with its name as a label, Active, with what holds its content', () => {
    expect(admit(named({ name: 'team', labels: { a: 'b', 'kubernetes.io/metadata.name': 'x' } }))).toEqual({
      kind: 'ok',
      warnings: [],
      document: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: 'team',
          uid: 'u-1',
          creationTimestamp: '2023-11-14T22:13:20Z',
          labels: { a: 'b', 'kubernetes.io/metadata.name': 'team' },
        },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
    });
  });

  test('has what kubectl sends with it, and nothing of the server’s own fields', () => {
    const sent = named(
      { name: 'team', creationTimestamp: null, uid: 'x', deletionTimestamp: '2020-01-01T00:00:00Z', managedFields: [] },
      { spec: {}, status: { phase: 'Terminating' } },
    );
    const answer = admit(sent);
    expect(answer.kind === 'ok' && answer.document).toEqual(freshNamespace('team', 'u-1', AT));
  });

  test('gets a name where it has a prefix', () => {
    const answer = admit(named({ generateName: 'team-' }));
    expect(answer.kind === 'ok' && answer.document.metadata).toMatchObject({
      name: 'team-abcde',
      generateName: 'team-',
      labels: { 'kubernetes.io/metadata.name': 'team-abcde' },
    });
  });

  test.each<[string, unknown, readonly string[]]>([
    ['no name', named({}), ['metadata.name Required: name or generateName is required']],
    ['capitals', named({ name: 'Team' }), ['metadata.name Invalid: a lowercase RFC 1123 label must consist of lower']],
    ['dots', named({ name: 'a.b' }), ['metadata.name Invalid: must not contain dots']],
    ['length', named({ name: 'x'.repeat(64) }), ['metadata.name Invalid: must be no more than 63 ']],
    [
      'a bad prefix',
      named({ generateName: 'Ab-' }),
      ['metadata.name Invalid: a lowercase', 'metadata.generateName Invalid: a lowercase'],
    ],
    ['a bad label', named({ name: 'a', labels: { b: '-' } }), ['metadata.labels Invalid: a valid label must be']],
    ['a bad annotation', named({ name: 'a', annotations: { '-': '' } }), ['metadata.annotations Invalid: name part']],
    ['a bare finalizer', named({ name: 'a', finalizers: ['x'] }), ['metadata.finalizers[0] Invalid: name is neither']],
    [
      'a finalizer of the spec',
      named({ name: 'a' }, { spec: { finalizers: ['kubernetes', 'x'] } }),
      ['spec.finalizers[1] Invalid: name is neither a standard finalizer name nor is it fully qualified'],
    ],
  ])('is refused for %s', (_, document, faults) => {
    const found = faultsOf(admit(document));
    expect(found).toHaveLength(faults.length);
    for (const [nth, fault] of faults.entries()) expect(found[nth]).toContain(fault);
  });

  test('with an unknown field is refused, warned of, or taken without it', () => {
    const sent = named({ name: 'team' }, { spce: {} });
    expect(admit(sent)).toMatchObject({
      kind: 'undecodable',
      message:
        'Namespace in version "v1" cannot be handled as a Namespace: strict decoding error: unknown field "spce"',
    });
    expect(admit(sent, 'Warn')).toMatchObject({ kind: 'ok', warnings: ['unknown field "spce"'] });
    expect(admit(sent, 'Ignore')).toMatchObject({ kind: 'ok', warnings: [] });
  });

  test.each<[string, unknown]>([
    ['another kind', { ...named({ name: 'a' }), kind: 'Job' }],
    ['a version', named({ name: 'a', resourceVersion: '3' })],
    ['a list', []],
    ['nothing', null],
  ])('is not made of %s', (_, document) => {
    expect(admit(document).kind).toBe('undecodable');
  });
});

const stored = (more: Partial<NamespaceDocument['metadata']> = {}): NamespaceDocument => {
  const fresh = freshNamespace('team', 'u-1', AT);
  return { ...fresh, metadata: { ...fresh.metadata, ...more } };
};
const update = (before: NamespaceDocument, document: unknown) =>
  admitNamespaceUpdate(before, document, { fieldValidation: 'Strict' });

describe('a change of a namespace', () => {
  test('is of labels, annotations and finalizers; the rest stays', () => {
    const before = stored({ labels: { a: 'b', 'kubernetes.io/metadata.name': 'team' }, annotations: { x: 'y' } });
    const metadata = {
      name: 'team',
      labels: { c: 'd' },
      finalizers: ['example.com/x'],
      creationTimestamp: '2001-01-01T00:00:00Z',
    };
    const answer = update(before, named(metadata, { spec: { finalizers: [] }, status: { phase: 'Terminating' } }));
    expect(answer).toEqual({
      kind: 'ok',
      warnings: [],
      changed: 'metadata',
      document: {
        ...stored(),
        metadata: {
          ...stored().metadata,
          labels: { c: 'd', 'kubernetes.io/metadata.name': 'team' },
          finalizers: ['example.com/x'],
        },
      },
    });
  });

  test('that says what there is, in another order, is none', () => {
    const before = stored({ labels: { b: '2', a: '1', 'kubernetes.io/metadata.name': 'team' } });
    const managed = { ...before, metadata: { ...before.metadata, managedFields: [{ manager: 'x' }] } };
    expect(update(managed, named({ labels: { a: '1', b: '2' }, name: 'team', uid: 'u-1' }))).toMatchObject({
      kind: 'ok',
      changed: 'nothing',
    });
  });

  test('of its identity is refused', () => {
    expect(faultsOf(update(stored(), named({ name: 'other' })))).toEqual(['metadata.name Invalid: field is immutable']);
    expect(faultsOf(update(stored(), named({ name: 'team', uid: 'x' })))).toEqual([
      'metadata.uid Invalid: field is immutable',
    ]);
  });

  test('while it is being deleted takes finalizers away, and adds none', () => {
    const going = terminating(stored({ finalizers: ['a.b/c'] }), AT);
    const without = update(going, named({ name: 'team' }));
    expect(without.kind === 'ok' && without.document.metadata).toEqual(terminating(stored(), AT).metadata);
    const more = update(going, named({ name: 'team', finalizers: ['a.b/c', 'a.b/d'] }));
    expect(faultsOf(more)[0]).toContain('metadata.finalizers Forbidden: no new finalizers can be added');
  });
});
