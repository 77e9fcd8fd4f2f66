import { describe, expect, test } from 'vitest';
import { NAMINGS } from '../../../shared/domain/manifests/annotations/lists.ts';
import { type Admission, admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { admitJobUpdate } from '../../../shared/schema/job/job-update.ts';
import { A_WORK_LIST } from '../../support/work-list-keys.ts';

const MATRIX = 'muster.run/matrix';
const NODES = { values: [{ name: 'node', values: ['18', '20'] }], image: 'node:$(node)' };

function documentOf(annotations: Record<string, string>, spec: object = {}) {
  const containers = [{ name: 'main', image: 'any', command: ['test', '$(node)'] }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'ci', annotations }, spec: { ...spec, template } };
}

const admit = (annotations: Record<string, string>, spec?: object): Admission =>
  admitJob(documentOf(annotations, spec), {
    namespace: 'default',
    uid: 'u-1',
    nameSuffix: 'abcde',
    fieldValidation: 'Strict',
  });

function faultsOf(annotations: Record<string, string>, spec?: object): readonly string[] {
  const admission = admit(annotations, spec);
  return admission.kind === 'invalid'
    ? admission.errors.map(({ path, message }) => `${path}: ${message}`.replace(`metadata.annotations[${MATRIX}]`, 'M'))
    : [];
}

const given = (matrix: unknown, others: Record<string, string> = {}) => ({
  [MATRIX]: JSON.stringify(matrix),
  ...others,
});
const values = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => String(i));

describe('a Job with a matrix', () => {
  test('is Indexed, with an index for each combination', () => {
    const wide = { values: [...NODES.values, { name: 'os', values: ['a', 'b', 'c'] }], image: NODES.image };
    const admission = admit(given(wide));
    expect(admission).toMatchObject({ kind: 'ok', manifest: { spec: { completionMode: 'Indexed', completions: 6 } } });
    expect(admit(given(wide), { completions: 6, parallelism: 6 }).kind).toBe('ok');
    expect(faultsOf(given(wide), { completions: 5 })).toEqual([
      'spec.completions: must be 6, as its work list says; or leave it out',
    ]);
    expect(admit(given(wide, { 'muster.run/image-from-items': 'true' })).kind).toBe('ok');
  });

  test.each<readonly [string, unknown, string | RegExp]>([
    ['text', '{', 'M: must be JSON such as'],
    ['another form', { node: ['18'] }, 'M.values: must be JSON such as'],
    ['a number', { values: [{ name: 'node', values: [18] }] }, 'M.values[0].values[0]: must be JSON such as'],
    ['a stray field', { ...NODES, exclude: [] }, 'M: must be JSON such as'],
    ['a field twice', '{"values":[],"values":[]}', 'M.values: must be JSON such as'],
    ['no names', { values: [] }, 'M.values: a matrix needs a name with its values'],
    ['no values', { values: [{ name: 'node', values: [] }] }, 'M.values[0].values: node needs a value'],
    ['an empty value', { values: [{ name: 'n', values: ['a', ''] }] }, 'M.values[0].values[1]: is empty: write'],
    ['a value twice', { values: [{ name: 'n', values: ['a', 'b', 'a'] }] }, 'M.values[0].values[2]: '],
    ['NUL', { values: [{ name: 'n', values: ['a\0'] }] }, 'M.values[0].values[0]: contains NUL'],
    ['a name that is none', { values: [{ name: 'n-1', values: ['a'] }] }, 'M.values[0].name: the column "n-1" must be'],
    [
      'a name twice',
      {
        values: [
          { name: 'n', values: ['a'] },
          { name: 'n', values: ['b'] },
        ],
      },
      'M.values[1].name: the column "n" occurs twice',
    ],
    ['a stray name', { ...NODES, image: 'node:$(os)' }, 'M.image: $(os) is no name of the matrix: it has node'],
    ['no image', { ...NODES, image: 'a b $(node)' }, 'M.image: makes "a b 18", which is no image'],
    [
      'images twice',
      { values: [{ name: 'image', values: ['a'] }], image: 'b' },
      'M.image: leave it out: the values of image are the images',
    ],
    [
      'too many images',
      { values: [{ name: 'node', values: values(24) }], image: 'node:$(node)' },
      'M.image: makes more than 20 images; a Job may have 20, each with a task definition',
    ],
    [
      'an image of too many values',
      {
        values: [
          { name: 'a', values: values(100) },
          { name: 'b', values: values(11) },
        ],
        image: 'node:$(a)$(b)',
      },
      'M.image: its values have 1100 combinations; the limit is 1000',
    ],
    ['a long image', { ...NODES, image: '$(node)'.repeat(300) }, 'M.image: may not be more than 2048 bytes'],
    [
      'too many names',
      { values: values(257).map((each) => ({ name: `n${each}`, values: ['a'] })) },
      'M.values: must have at most 256 items',
    ],
    [
      'too many combinations',
      {
        values: [
          { name: 'a', values: values(1_000) },
          { name: 'b', values: values(101) },
        ],
      },
      "M: has 101000 combinations; a Job's matrix may have 100000",
    ],
    [
      'too long',
      {
        values: [
          { name: 'a', values: ['x'.repeat(4_000)] },
          { name: 'b', values: ['y'.repeat(4_000)] },
        ],
      },
      'M: its longest combination has 8001 bytes; the limit is 6144',
    ],
  ])('is refused with %s', (_what, matrix, fault) => {
    const faults = faultsOf({ [MATRIX]: typeof matrix === 'string' ? matrix : JSON.stringify(matrix) });
    expect(faults[0]?.startsWith(String(fault)), faults[0]).toBe(true);
    expect(faults.filter((each) => each.startsWith('M')).length).toBe(1);
  });

  test('has no other work list, and says its image once', () => {
    expect(faultsOf(given(NODES, { 'muster.run/items': 'A\n1' }))).toEqual([
      'M: a Job has one work list: leave out muster.run/items',
    ]);
    for (const { key } of NAMINGS)
      expect(faultsOf(given(NODES, { [key]: 'nodes' }))).toEqual([`M: a Job has one work list: leave out ${key}`]);
    expect(faultsOf(given(NODES, { 'muster.run/image-from-items': 'false' }))).toEqual([
      'metadata.annotations[muster.run/image-from-items]: leave it out: the matrix says an image',
    ]);
    const batch = { 'muster.run/batch': '2' };
    expect(faultsOf(given(NODES, batch))[0]).toMatch(/batch\]: leave it out: an index runs in one image/);
    expect(faultsOf(batch)).toEqual([`metadata.annotations[muster.run/batch]: needs ${A_WORK_LIST}`]);
  });

  test('names the bad value of a column about tasks by its item', () => {
    const sizes = { values: [NODES.values[0], { name: 'memory', values: ['512Mi', 'many'] }] };
    expect(faultsOf(given(sizes, { 'muster.run/resources-from-items': 'true' }))[0]).toMatch(
      /^M: item 2 \(index 1\), column memory: write a quantity/,
    );
  });

  test('keeps it for life', () => {
    const admission = admit(given(NODES));
    if (admission.kind !== 'ok') throw new Error('admitted');
    const { manifest } = admission;
    const stored = { manifest, uid: 'u-1', started: false, deleting: false };
    const annotations = given({ values: NODES.values });
    const next = { ...manifest, metadata: { ...manifest.metadata, uid: 'u-1', annotations } };
    expect(admitJobUpdate(stored, next, { fieldValidation: 'Strict' })).toMatchObject({
      kind: 'invalid',
      errors: [{ path: `metadata.annotations[${MATRIX}]`, message: 'field is immutable' }],
    });
  });
});
