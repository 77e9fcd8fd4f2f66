import { describe, expect, test } from 'vitest';
import { admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const INDEXES = 'metadata.annotations[muster.run/indexes]';
const RERUN = 'metadata.annotations[muster.run/rerun-of]';
const FORM = 'must be indexes in ascending order, such as "3,7-9"';

const indexed = (spec: object = {}) => ({ completionMode: 'Indexed', completions: 10, ...spec });
const annotated = (indexes: string | undefined, rerunOf?: string) => ({
  annotations: {
    ...(indexes === undefined ? {} : { 'muster.run/indexes': indexes }),
    ...(rerunOf === undefined ? {} : { 'muster.run/rerun-of': rerunOf }),
  },
});

describe('muster.run/indexes', () => {
  test.each<[string, string | null]>([
    ['3,7-9', null],
    ['0', null],
    ['0-9', null],
    ['', `${FORM}: it names none`],
    ['x', `${FORM}: cannot convert string to integer for index: "x"`],
    ['3, 7', `${FORM}: cannot convert string to integer for index: " 7"`],
    ['7,3', `${FORM}: non-increasing order, previous: 7, current: 3`],
    ['3,3', `${FORM}: non-increasing order, previous: 3, current: 3`],
    ['3-3', `${FORM}: non-increasing order, previous: 3, current: 3`],
    ['10', 'index 10 does not exist: with 10 completions, the last is 9'],
    ['7-12', 'index 12 does not exist: with 10 completions, the last is 9'],
  ])('%j of ten indexes', (text, wrong) => {
    expect(faultLines(admitDocument(jobDocument(indexed(), annotated(text))))).toEqual(
      wrong === null ? [] : [`${INDEXES}: Invalid value: "${text}": ${wrong}`],
    );
  });

  test('without completions, only that is wrong', () => {
    expect(
      faultLines(admitDocument(jobDocument({ completionMode: 'Indexed', parallelism: 2 }, annotated('3')))),
    ).toEqual(['spec.completions: Required value: when completion mode is Indexed']);
  });
});

describe('muster.run/rerun-of', () => {
  test.each<[string, number]>([
    ['frames', 0],
    ['frames.2', 0],
    ['', 1],
    ['Frames', 1],
    ['a/b', 1],
  ])('%j', (name, faults) => {
    const lines = faultLines(admitDocument(jobDocument(indexed(), annotated(undefined, name))));
    expect(lines).toHaveLength(faults);
    for (const line of lines)
      expect(line).toContain(`${RERUN}: Invalid value: "${name}": must be the name of a Job in the same namespace: `);
  });
});

describe('both need a Job of indexes that Muster runs', () => {
  test.each<[string, object, string]>([
    ['a NonIndexed Job', { completions: 10 }, 'has an effect only on Indexed Jobs'],
    [
      'a Job of another controller',
      indexed({ managedBy: 'example.com/other' }),
      'has no effect on a Job that another controller runs',
    ],
  ])('%s', (_, spec, why) => {
    expect(faultLines(admitDocument(jobDocument(spec, annotated('99', 'frames'))))).toEqual([
      `${INDEXES}: Invalid value: "99": ${why}`,
      `${RERUN}: Invalid value: "frames": ${why}`,
    ]);
  });
});

describe('a success policy must be able to decide', () => {
  const policy = (...rules: readonly object[]) => indexed({ successPolicy: { rules } });
  const never = (i: number, rule: object): string =>
    `spec.successPolicy.rules[${i}]: Invalid value: ${JSON.stringify(rule)}: can never be met: too many of its indexes are not in ${INDEXES}`;
  test.each<[string, readonly object[], readonly string[]]>([
    ['its indexes run', [{ succeededIndexes: '7-9' }], []],
    ['one of them does not', [{ succeededIndexes: '6-9' }], [never(0, { succeededIndexes: '6-9' })]],
    ['enough of them do', [{ succeededIndexes: '0-9', succeededCount: 4 }], []],
    [
      'too few do',
      [{ succeededCount: 1 }, { succeededIndexes: '0-9', succeededCount: 5 }],
      [never(1, { succeededIndexes: '0-9', succeededCount: 5 })],
    ],
    ['more successes than there are chosen ones', [{ succeededCount: 5 }], [never(0, { succeededCount: 5 })]],
  ])('%s', (_, rules, faults) => {
    expect(faultLines(admitDocument(jobDocument(policy(...rules), annotated('3,7-9'))))).toEqual(faults);
  });

  test('what is inherited is known later', () => {
    const document = jobDocument(policy({ succeededIndexes: '0-9' }), annotated('3,7-9', 'frames'));
    expect(faultLines(admitDocument(document))).toEqual([]);
  });
});

describe('an existing Job', () => {
  const faults = (before: object, spec: object, after: object): readonly string[] => {
    const elastic = indexed({ parallelism: 10 });
    const stored = {
      manifest: admitted(jobDocument(elastic, before)).manifest,
      uid: UID,
      started: true,
      deleting: false,
    };
    const document = documentOf(stored);
    const { annotations: _, ...metadata } = document.metadata;
    const next = { ...document, metadata: { ...metadata, ...after }, spec: { ...document.spec, ...spec } };
    return faultLines(admitJobUpdate(stored, next, { fieldValidation: 'Strict' }));
  };
  const immutable = (path: string, value: string | null): string =>
    `${path}: Invalid value: ${value === null ? 'null' : JSON.stringify(value)}: field is immutable`;
  const larger = { completions: 12, parallelism: 12 };
  test.each<[string, object, object, object, readonly string[]]>([
    ['keeps them', annotated('3', 'frames'), {}, annotated('3', 'frames'), []],
    ['keeps its indexes', annotated('3'), {}, annotated('3,4'), [immutable(INDEXES, '3,4')]],
    ['does not lose them', annotated('3'), {}, {}, [immutable(INDEXES, null)]],
    ['does not get any', {}, {}, annotated('3'), [immutable(INDEXES, '3')]],
    ['repeats the same Job', annotated(undefined, 'a'), {}, annotated(undefined, 'b'), [immutable(RERUN, 'b')]],
    ['does not become a rerun', {}, {}, annotated(undefined, 'a'), [immutable(RERUN, 'a')]],
    [
      'has as many indexes while some are named',
      annotated('3'),
      larger,
      annotated('3'),
      [`spec.completions: Invalid value: 12: field is immutable in a Job with ${INDEXES}`],
    ],
    ['is elastic while none are named', annotated(undefined, 'a'), larger, annotated(undefined, 'a'), []],
  ])('%s', (_, before, spec, after, expected) => {
    expect(faults(before, spec, after)).toEqual(expected);
  });
});
