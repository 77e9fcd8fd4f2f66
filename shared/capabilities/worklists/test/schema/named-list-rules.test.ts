import { describe, expect, test } from 'vitest';
import type { NamedList } from '../../../../schema/items/job-items-rules.ts';
import { type Admission, admitJob } from '../../../../schema/job/job-manifest.ts';
import { admitJobUpdate } from '../../../../schema/job/job-update.ts';

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

function documentOf({ annotations = {}, spec = {}, container = {} }: Wish) {
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

describe('a Job that names its work list', () => {
  test('gets the content pinned', () => {
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
      'a list that is absent',
      { annotations: { 'muster.run/work-list': 'fruits' }, list: { kind: 'absent' } },
      'metadata.annotations[muster.run/work-list]: ',
    ],
    [
      'a list that is not sealed',
      { annotations: { 'muster.run/work-list': 'fruits' }, list: { kind: 'open' } },
      'metadata.annotations[muster.run/work-list]: the WorkList is not sealed yet: it lacks items',
    ],
  ])('is refused: %s', (_what, wish, fault) => {
    const faults = faultsOf(wish);
    expect(faults.filter((each) => each.startsWith(fault))).toHaveLength(1);
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
