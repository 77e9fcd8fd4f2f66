import { describe, expect, test } from 'vitest';
import type { NamedList } from '../../../shared/schema/items/job-items-rules.ts';
import { type Admission, admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { admitJobUpdate } from '../../../shared/schema/job/job-update.ts';

const FRUITS = 'FRUIT COLOR\napple green\nbanana yellow\ncherry red\n';
const LIST: NamedList = {
  kind: 'sealed',
  content: 'c-1',
  columns: ['FRUIT'],
  count: 41,
  sha256: 'abc',
  widest: { columns: [6], line: 6 },
};
const PIN = 'muster.run/pinned-items';

type Wish = {
  readonly annotations?: Record<string, string>;
  readonly spec?: object;
  readonly container?: object;
  readonly list?: NamedList;
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
    list: wish.list ?? null,
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

  test('that it names gets the content pinned', () => {
    const { metadata, spec } = admitted({ annotations: { 'muster.run/work-list': 'fruits' }, list: LIST });
    expect(spec.completions).toBe(41);
    const { kind: _kind, ...pin } = LIST;
    expect(JSON.parse(metadata.annotations?.[PIN] ?? '')).toEqual(pin);
  });

  test.each<[string, Wish, string]>([
    [
      'two lists',
      { annotations: { 'muster.run/items': FRUITS, 'muster.run/work-list': 'fruits' }, list: LIST },
      'metadata.annotations[muster.run/work-list]: a Job has one work list: leave out muster.run/items',
    ],
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
      'metadata.annotations[muster.run/batch]: needs a work list: muster.run/items, muster.run/work-list or muster.run/matrix',
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
      'a list that is absent',
      { annotations: { 'muster.run/work-list': 'fruits' }, list: { kind: 'absent' } },
      'metadata.annotations[muster.run/work-list]: ',
    ],
    [
      'a list that is not sealed',
      { annotations: { 'muster.run/work-list': 'fruits' }, list: { kind: 'open' } },
      'metadata.annotations[muster.run/work-list]: the WorkList is not sealed yet: it lacks items',
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

describe('a change of a Job', () => {
  const manifest = admitted({ annotations: { 'muster.run/work-list': 'fruits' }, list: LIST });
  const change = (annotations: Record<string, string>) => {
    const document = { ...manifest, metadata: { ...manifest.metadata, uid: 'u-1', annotations } };
    const stored = { manifest, uid: 'u-1', started: false, deleting: false };
    return admitJobUpdate(stored, document, { fieldValidation: 'Strict' });
  };

  test('keeps the pin, whether the client sends it or not', () => {
    const update = change({ 'muster.run/work-list': 'fruits', note: 'x' });
    expect(update).toMatchObject({
      kind: 'ok',
      manifest: { metadata: { annotations: { note: 'x', [PIN]: manifest.metadata.annotations?.[PIN] } } },
    });
    expect(change({ ...manifest.metadata.annotations })).toMatchObject({ kind: 'ok', changed: 'nothing' });
  });

  test.each([
    [{ 'muster.run/work-list': 'others' }],
    [{}],
    [{ 'muster.run/work-list': 'fruits', 'muster.run/batch': '2' }],
    [
      {
        'muster.run/work-list': 'fruits',
        [PIN]: JSON.stringify({ ...JSON.parse(manifest.metadata.annotations?.[PIN] ?? ''), content: 'c-2' }),
      },
    ],
  ])('of its list is refused: %j', (annotations) => {
    const update = change(annotations);
    expect(update.kind === 'invalid' && update.errors.map(({ message }) => message)).toContain('field is immutable');
  });
});
