import { describe, expect, test } from 'vitest';
import { planningSpec } from '../../../shared/domain/manifests/job.ts';
import { type StoredJob, admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const AFTER = 'muster.run/after';
const INDEXES = 'muster.run/after-indexes';
const AT_AFTER = `metadata.annotations[${AFTER}]`;
const AT_INDEXES = `metadata.annotations[${INDEXES}]`;
const NAME_RULE =
  'must be at most 253 lower case letters, digits, "-" and ".", and must start and end with a letter or a digit';

type Texts = Readonly<Record<string, string>>;
const INDEXED = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
const documentWith = (annotations: Texts, spec: object = INDEXED) => jobDocument(spec, { annotations });

/** What is wrong with a Job named "sums" that has these annotations; values that would only repeat the text are left out. */
const faultsOf = (annotations: Texts, spec?: object): readonly string[] =>
  faultLines(admitDocument(documentWith(annotations, spec))).map((line) =>
    line.replaceAll(/Invalid value: "(?:[^"\\]|\\.)*": /g, ''),
  );

describe('muster.run/after', () => {
  test.each<[text: string, faults: readonly string[]]>([
    ['prepare', []],
    ['prepare, fetch:finished,check:failed , b.c:complete', []],
    ['sums', [`${AT_AFTER}: a Job cannot wait for itself`]],
    ['prepare, sums:finished', [`${AT_AFTER}: a Job cannot wait for itself`]],
    ['', [`${AT_AFTER}: has an empty entry: must be names of jobs in this namespace, with commas between`]],
    ['a,,b', [`${AT_AFTER}: has an empty entry: must be names of jobs in this namespace, with commas between`]],
    ['a, b, a:failed', [`${AT_AFTER}: names job "a" twice: must be once at most`]],
    ['a:succeeded', [`${AT_AFTER}: "succeeded" is no condition of job "a": must be one of complete, failed, finished`]],
    ['other/prepare', [`${AT_AFTER}: "other/prepare" is no name of a job: ${NAME_RULE}`]],
    ['Prepare', [`${AT_AFTER}: "Prepare" is no name of a job: ${NAME_RULE}`]],
    ['a b', [`${AT_AFTER}: "a b" is no name of a job: ${NAME_RULE}`]],
    [Array.from({ length: 33 }, (_, n) => `j${n}`).join(','), [`${AT_AFTER}: names 33 jobs: must be at most 32`]],
    [Array.from({ length: 32 }, (_, n) => `j${n}`).join(','), []],
  ])('%s', (text, faults) => {
    expect(faultsOf({ [AFTER]: text })).toEqual(faults);
    expect(faultsOf({ [AFTER]: text }, { completionMode: 'NonIndexed' })).toEqual(faults);
  });
});

describe('muster.run/after-indexes', () => {
  const NUMBER = (text: string) =>
    `${AT_INDEXES}: "${text}" is no number of indexes of job "map": must be a number from 1 to 1000, such as "map/2"`;
  test.each<[text: string, faults: readonly string[]]>([
    ['map', []],
    ['map/2, weights, c/1000', []],
    ['sums/2', [`${AT_INDEXES}: a Job cannot wait for itself`]],
    ['map, map/2', [`${AT_INDEXES}: names job "map" twice: must be once at most`]],
    ['map/0', [NUMBER('0')]],
    ['map/1001', [NUMBER('1001')]],
    ['map/two', [NUMBER('two')]],
    ['map/-1', [NUMBER('-1')]],
    ['map/', [NUMBER('')]],
    ['map:finished', [`${AT_INDEXES}: "map:finished" is no name of a job: ${NAME_RULE}`]],
  ])('%s', (text, faults) => {
    expect(faultsOf({ [INDEXES]: text })).toEqual(faults);
  });

  test('needs indexes', () => {
    const fault = `${AT_INDEXES}: Forbidden: needs spec.completionMode Indexed: only indexes can wait for indexes`;
    expect(faultsOf({ [INDEXES]: 'map' }, { completions: 3 })).toEqual([fault]);
    expect(faultsOf({ [AFTER]: 'a,,b', [INDEXES]: 'map/0' }, {})).toHaveLength(3);
  });

  test('names no Job that muster.run/after names', () => {
    const both = { [AFTER]: 'prepare, map:finished', [INDEXES]: 'weights, map/2' };
    expect(faultsOf(both)).toEqual([`${AT_INDEXES}: names job map, which muster.run/after names already`]);
    expect(faultsOf({ ...both, [AFTER]: 'prepare' })).toEqual([]);
  });
});

test('a value that is refused is shown', () => {
  expect(faultLines(admitDocument(documentWith({ [AFTER]: 'sums' })))).toEqual([
    `${AT_AFTER}: Invalid value: "sums": a Job cannot wait for itself`,
  ]);
});

test('planning reads both', () => {
  const { manifest } = admitted(documentWith({ [AFTER]: 'prepare, fetch:finished', [INDEXES]: 'map/2' }));
  expect(planningSpec({ manifest })).toMatchObject({
    after: [
      { name: 'prepare', condition: 'complete' },
      { name: 'fetch', condition: 'finished' },
    ],
    afterIndexes: [{ name: 'map', perIndex: 2 }],
  });
});

describe('what a user may change', () => {
  const BOTH = { [AFTER]: 'prepare, fetch:finished', [INDEXES]: 'map' };
  const stored = (started: boolean, annotations: Texts = BOTH): StoredJob => ({
    manifest: admitted(documentWith(annotations)).manifest,
    uid: UID,
    started,
    deleting: false,
  });
  const change = (job: StoredJob, annotations: Texts): readonly string[] => {
    const document = documentOf(job);
    return faultLines(
      admitJobUpdate(
        job,
        { ...document, metadata: { ...document.metadata, annotations } },
        { fieldValidation: 'Strict' },
      ),
    ).map((line) => line.replaceAll(/Invalid value: (?:"(?:[^"\\]|\\.)*"|null): /g, ''));
  };
  const ONLY_LESS = `${AT_AFTER}: only entries may be removed: the Job waits for the others since it was created`;
  const FIXED = `${AT_AFTER}: field is immutable: the Job has started`;
  const IMMUTABLE = `${AT_INDEXES}: field is immutable`;

  test.each<[because: string, is: Texts, held: readonly string[], started: readonly string[]]>([
    ['nothing', BOTH, [], []],
    ['one that it waits for is taken out', { ...BOTH, [AFTER]: 'fetch:finished' }, [], [FIXED]],
    ['all are', { [INDEXES]: 'map' }, [], [FIXED]],
    ['their order', { ...BOTH, [AFTER]: 'fetch:finished,prepare' }, [], [FIXED]],
    ['one is added', { ...BOTH, [AFTER]: 'prepare, fetch:finished, more' }, [ONLY_LESS], [FIXED]],
    ['another condition', { ...BOTH, [AFTER]: 'prepare:finished' }, [ONLY_LESS], [FIXED]],
    ['other indexes', { ...BOTH, [INDEXES]: 'map/2' }, [IMMUTABLE], [IMMUTABLE]],
    ['no indexes any more', { [AFTER]: BOTH[AFTER] }, [IMMUTABLE], [IMMUTABLE]],
    ['another note', { ...BOTH, note: 'x' }, [], []],
  ])('%s', (_, is, held, started) => {
    expect(change(stored(false), is)).toEqual(held);
    expect(change(stored(true), is)).toEqual(started);
  });

  test('that waits for nobody begins to', () => {
    expect(change(stored(false, {}), { [AFTER]: 'prepare' })).toEqual([ONLY_LESS]);
    expect(change(stored(true, {}), BOTH)).toEqual([FIXED, IMMUTABLE]);
    expect(change(stored(false, {}), { [AFTER]: 'a:b' })).toContain(ONLY_LESS);
  });
});
