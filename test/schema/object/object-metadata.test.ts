import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../../shared/schema/object/field-error.ts';
import {
  addedFinalizerErrors,
  objectMetadataShape,
  tieErrors,
  tiesOf,
} from '../../../shared/schema/object/object-metadata.ts';

const OWNER = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'uid-9' };
const linesOf = (metadata: object): readonly string[] =>
  tieErrors('metadata', tiesOf(objectMetadataShape.parse(metadata))).map(
    (fault) => `${fault.path}: ${fieldErrorText(fault)}`,
  );

describe('owners', () => {
  test.each<[string, object[], readonly string[]]>([
    ['one', [OWNER], []],
    [
      'one that controls it, and another',
      [
        { ...OWNER, controller: true, blockOwnerDeletion: true },
        { ...OWNER, uid: 'b' },
      ],
      [],
    ],
    [
      'no version',
      [{ ...OWNER, apiVersion: 'batch/' }],
      ['metadata.ownerReferences.apiVersion: Invalid value: "batch/": version must not be empty'],
    ],
    [
      'nothing at all',
      [{}],
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
  ])('%s', (_, ownerReferences, expected) => {
    expect(linesOf({ ownerReferences })).toEqual(expected);
  });

  test('one may control', () => {
    const ownerReferences = [
      { ...OWNER, controller: true },
      { ...OWNER, name: 'other', controller: true },
    ];
    expect(linesOf({ ownerReferences })).toEqual([
      expect.stringMatching(
        /^metadata\.ownerReferences: Invalid value: .*: Only one reference can have Controller set to true\. Found "true" in references for CronJob\/nightly and CronJob\/other$/,
      ),
    ]);
  });
});

describe('finalizers', () => {
  test.each<[string, readonly string[]]>([
    ['example.com/hold', []],
    ['foregroundDeletion', []],
    [
      'hold',
      [
        'metadata.finalizers[0]: Invalid value: "hold": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'orphan',
      [
        'metadata.finalizers[0]: Forbidden: not supported by this version of Muster; leave it out: dependents are deleted with their owner',
      ],
    ],
  ])('%s', (finalizer, expected) => {
    expect(linesOf({ finalizers: [finalizer] })).toEqual(expected);
  });

  test('an invalid name is reported as such', () => {
    expect(linesOf({ finalizers: ['a b/c'] })[0]).toMatch(/^metadata\.finalizers: Invalid value: "a b\/c": /);
  });

  test('twice is once', () => {
    expect(tiesOf({ finalizers: ['a/b', 'a/b'], ownerReferences: undefined })).toEqual({ finalizers: ['a/b'] });
  });

  test('what is being deleted gains none', () => {
    const told = (finalizers: readonly string[]) =>
      addedFinalizerErrors('metadata', { finalizers }, ['a/b']).map(
        (fault) => `${fault.path}: ${fieldErrorText(fault)}`,
      );
    expect(told(['a/b'])).toEqual([]);
    expect(told([])).toEqual([]);
    expect(told(['z/z', 'a/b', 'c/d'])).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d", "z/z"}',
    ]);
  });
});
