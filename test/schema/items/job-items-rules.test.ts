import { describe, expect, test } from 'vitest';
import { type Admission, admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { A_WORK_LIST } from '../../support/work-list-keys.ts';

const FRUITS = 'FRUIT COLOR\napple green\nbanana yellow\ncherry red\n';
const PIN = 'muster.run/pinned-items';

type Wish = {
  readonly annotations?: Record<string, string>;
  readonly spec?: object;
  readonly container?: object;
};

function documentOf({ annotations = { 'muster.run/items': FRUITS }, spec = {}, container = {} }: Wish) {
  const containers = [{ name: 'main', image: 'any', command: ['eat', '$(FRUIT)'], ...container }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'eat', annotations }, spec: { ...spec, template } };
}

const admit = (wish: Wish): Admission =>
  admitJob(documentOf(wish), {
    namespace: 'default',
    uid: 'u-1',
    nameSuffix: 'abcde',
    fieldValidation: 'Strict',
  });

const faultsOf = (wish: Wish): readonly string[] => {
  const admission = admit(wish);
  return admission.kind === 'invalid' ? admission.errors.map(({ path, message }) => `${path}: ${message}`) : [];
};

const admitted = (wish: Wish) => {
  const admission = admit(wish);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
};

describe('a Job with a work list', () => {
  test('is Indexed, with an index for each item', () => {
    expect(admitted({}).spec).toMatchObject({ completionMode: 'Indexed', completions: 3, parallelism: 1 });
    expect(admitted({ spec: { completions: 3, parallelism: 7 } }).spec).toMatchObject({ parallelism: 7 });
    const batched = { 'muster.run/items': FRUITS, 'muster.run/batch': '2' };
    expect(admitted({ annotations: batched }).spec.completions).toBe(2);
  });

  test.each<[string, Wish, string]>([
    [
      'another number',
      { spec: { completions: 4 } },
      'spec.completions: must be 3, as its work list says; or leave it out',
    ],
    [
      'another number of a batch',
      { annotations: { 'muster.run/items': FRUITS, 'muster.run/batch': '2' }, spec: { completions: 3 } },
      'spec.completions: must be 2, as its work list says, 2 items for each index; or leave it out',
    ],
    [
      'NonIndexed',
      { spec: { completionMode: 'NonIndexed' } },
      'spec.completionMode: must be Indexed: the Job has a work list',
    ],
    [
      'a batch without a list',
      { annotations: { 'muster.run/batch': '20' } },
      `metadata.annotations[muster.run/batch]: needs ${A_WORK_LIST}`,
    ],
    [
      'a batch of one',
      { annotations: { 'muster.run/items': FRUITS, 'muster.run/batch': '1' } },
      'metadata.annotations[muster.run/batch]: must be a whole number of items between 2 and 1000',
    ],
    [
      'an empty line',
      { annotations: { 'muster.run/items': 'FRUIT\napple\n\ncherry' } },
      'metadata.annotations[muster.run/items]: line 3: ',
    ],
    [
      'an item with too few values',
      { annotations: { 'muster.run/items': 'FRUIT COLOR\napple' } },
      'metadata.annotations[muster.run/items]: line 2: ',
    ],
    [
      'a reserved column',
      { annotations: { 'muster.run/items': 'MUSTER_X\n1' } },
      'metadata.annotations[muster.run/items]: ',
    ],
    [
      'the same column twice',
      { annotations: { 'muster.run/items': 'A A\n1 2' } },
      'metadata.annotations[muster.run/items]: ',
    ],
    [
      'a variable of that name',
      { container: { env: [{ name: 'FRUIT', value: 'plum' }] } },
      "spec.template.spec.containers[0].env[0].name: FRUIT is a column of the Job's work list; leave it out",
    ],
    [
      'a program that differs by item',
      { container: { command: ['$(FRUIT)'] } },
      'spec.template.spec.containers[0].command[0]: ',
    ],
    [
      'a pin of its own',
      { annotations: { [PIN]: '{}' } },
      `metadata.annotations[${PIN}]: the server sets it; leave it out of a new Job`,
    ],
  ])('is refused: %s', (_what, wish, fault) => {
    const faults = faultsOf(wish);
    expect(faults.filter((each) => each.startsWith(fault))).toHaveLength(1);
  });

  test('is refused if its longest items exceed what ECS takes at launch, with both numbers', () => {
    const text = `A\n${'x'.repeat(4_000)}\n`;
    expect(
      faultsOf({ annotations: { 'muster.run/items': text }, container: { command: ['eat', '$(A)'] } }).join(),
    ).toMatch(/needs \d{5} characters, and ECS allows 8192 .* make the items shorter/);
    expect(faultsOf({ annotations: { 'muster.run/items': `A\n${'x'.repeat(900)}\n` } })).toEqual([]);
    const batch = { 'muster.run/items': `A\n${'x'.repeat(900)}\n`, 'muster.run/batch': '20' };
    expect(faultsOf({ annotations: batch }).join()).toContain('batch fewer of them');
  });
});
