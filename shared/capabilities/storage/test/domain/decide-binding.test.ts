import { describe, expect, test } from 'vitest';
import { boundClaim, boundVolume, withNews } from '../../domain/bound-documents.ts';
import { type Binding, decideBinding } from '../../domain/decide-binding.ts';
import { decideVolume } from '../../domain/decide-volume.ts';
import { type StorageClass, type Volume, claimIn, classIn, volumeIn } from '../../domain/storage-objects.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { claim, storageClass, volume } from '../storage-documents.ts';

const NOW = asEpochMs(1_700_000_000_000);

const aClaim = (spec: object = {}, annotations: object = {}) =>
  claimIn({
    ...claim('data', spec, { namespace: 'default', uid: 'u-1', annotations }),
    status: { phase: 'Pending' },
  });
const aVolume = (name: string, spec: object = {}, more: object = {}) =>
  volumeIn({ ...volume(name, spec, { uid: name, ...more }), status: { phase: 'Available' } });
const aClass = (name: string, more: object = {}, isDefault = false): StorageClass =>
  classIn({
    ...storageClass(name, more),
    metadata: {
      name,
      uid: name,
      creationTimestamp: `2026-01-0${name.length}T00:00:00Z`,
      ...(isDefault ? { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } : {}),
    },
  });

/** What a binding says, in a line. */
function lineOf(binding: Binding): string {
  switch (binding.kind) {
    case 'bind':
      return `bind ${binding.volume.metadata.name}`;
    case 'provision':
      return `provision ${binding.storageClass.metadata.name}`;
    case 'stay':
      return `${binding.phase}${binding.news === null ? '' : ` ${binding.news.reason}: ${binding.news.message}`}`;
  }
}
const decide = (
  spec: object,
  volumes: readonly Volume[],
  classes: readonly StorageClass[] = [],
  place: 'aws' | 'machine' = 'aws',
): string => lineOf(decideBinding(aClaim(spec), volumes, classes, place));

const size = (storage: string) => ({ capacity: { storage } });
const NONE = 'Pending FailedBinding: no persistent volumes available for this claim and no storage class is set';

describe('a claim that names no volume', () => {
  test.each<[string, object, readonly Volume[], string]>([
    [
      'gets the smallest that is large enough',
      {},
      [aVolume('a', size('9Gi')), aVolume('b', size('1Gi')), aVolume('c', size('1Mi'))],
      'bind b',
    ],
    [
      'gets the one with the fewest modes',
      {},
      [aVolume('a'), aVolume('b', { accessModes: ['ReadWriteOnce'], ...size('90Gi') })],
      'bind b',
    ],
    ['gets the first by name of equal ones', {}, [aVolume('b'), aVolume('a')], 'bind a'],
    ['needs all its modes', { accessModes: ['ReadOnlyMany', 'ReadWriteOnce'] }, [aVolume('a')], NONE],
    ['needs its class', {}, [aVolume('a', { storageClassName: 'x' })], NONE],
    [
      'needs its labels',
      { selector: { matchLabels: { a: 'b' } } },
      [aVolume('a'), aVolume('b', {}, { labels: { a: 'b' } })],
      'bind b',
    ],
    [
      'needs what its expressions say',
      { selector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] } },
      [aVolume('a', {}, { labels: { a: 'b' } }), aVolume('z')],
      'bind z',
    ],
    [
      'gets the one that is kept for it',
      {},
      [aVolume('a'), aVolume('z', { claimRef: { namespace: 'default', name: 'data' } })],
      'bind z',
    ],
    [
      'gets none that is kept for another',
      {},
      [aVolume('a', { claimRef: { namespace: 'other', name: 'data' } })],
      NONE,
    ],
    [
      'gets none that was of a claim of its name',
      {},
      [aVolume('a', { claimRef: { namespace: 'default', name: 'data', uid: 'u-0' } })],
      NONE,
    ],
    ['gets none that is not available yet', {}, [volumeIn({ ...aVolume('a'), status: { phase: 'Released' } })], NONE],
  ])('%s', (_name, spec, volumes, expected) => {
    expect(decide(spec, volumes)).toBe(expected);
  });
});

describe('a claim that names a volume', () => {
  const named = { volumeName: 'a' };
  test.each<[string, readonly Volume[], string]>([
    ['waits until there is one', [], 'Pending'],
    ['gets it, however large it is', [aVolume('a', size('90Gi')), aVolume('b')], 'bind a'],
    [
      'waits if it is too small',
      [aVolume('a', size('1Mi'))],
      'Pending VolumeMismatch: Cannot bind to requested volume "a": requested PV is too small',
    ],
    [
      'waits if its class is another',
      [aVolume('a', { storageClassName: 'x' })],
      'Pending VolumeMismatch: Cannot bind to requested volume "a": storageClassName does not match',
    ],
    [
      'waits if it lacks a mode',
      [aVolume('a', { accessModes: ['ReadOnlyMany'] })],
      'Pending VolumeMismatch: Cannot bind to requested volume "a": incompatible accessMode',
    ],
    [
      'waits if another claim has it',
      [aVolume('a', { claimRef: { namespace: 'default', name: 'x', uid: 'y' } })],
      'Pending FailedBinding: volume "a" already bound to a different claim.',
    ],
  ])('%s', (_name, volumes, expected) => {
    expect(decide(named, volumes)).toBe(expected);
  });
});

describe('a claim of a class', () => {
  const ours = aClass('ours', { provisioner: 'muster.run/local-folder' });
  test('gets a volume made only on a machine', () => {
    const spec = { storageClassName: 'ours' };
    expect(decide(spec, [], [ours], 'machine')).toBe('provision ours');
    expect(decide(spec, [], [ours], 'aws')).toContain('Pending ProvisioningFailed: Muster makes no volumes for');
    expect(decide(spec, [aVolume('a', spec)], [ours], 'machine')).toBe('bind a');
  });

  test('says what is missing', () => {
    expect(decide({ storageClassName: 'x' }, [])).toBe(
      'Pending ProvisioningFailed: storageclass.storage.k8s.io "x" not found',
    );
    const local = aClass('local', { provisioner: 'kubernetes.io/no-provisioner' });
    expect(decide({ storageClassName: 'local' }, [], [local])).toBe(
      'Pending ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
    );
  });

  test('that says none has the newest default, unless it says that it wants none', () => {
    const classes = [
      aClass('a', {}, true),
      aClass('bb', { provisioner: 'muster.run/local-folder' }, true),
      aClass('ccc'),
    ];
    const binding = decideBinding(aClaim(), [], classes, 'machine');
    expect([binding.className, lineOf(binding)]).toEqual(['bb', 'provision bb']);
    expect(decide({ storageClassName: '' }, [], classes, 'machine')).toBe(NONE);
    const older = aClaim({}, { 'volume.beta.kubernetes.io/storage-class': 'ccc' });
    expect(decideBinding(older, [], classes, 'aws').className).toBeNull();
  });
});

test('a claim that was bound never gets another volume', () => {
  const bound = (volumes: readonly Volume[], spec: object = { volumeName: 'a' }): string =>
    lineOf(decideBinding(aClaim(spec, { 'pv.kubernetes.io/bind-completed': 'yes' }), volumes, [], 'aws'));
  const ofOther = { claimRef: { namespace: 'default', name: 'data', uid: 'u-9' } };
  expect(bound([])).toBe('Lost ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  expect(bound([], {})).toBe(
    'Lost ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
  );
  expect(bound([aVolume('a')])).toBe('bind a');
  expect(bound([aVolume('a', ofOther)])).toBe(
    'Lost ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
  );
});

test('what is bound stays the same object', () => {
  const own = boundVolume(aVolume('a'), aClaim(), 7, NOW);
  const its = boundClaim(aClaim(), own, null);
  expect([boundVolume(own, its, 9, NOW) === own, boundClaim(its, own, null) === its]).toEqual([true, true]);
  expect(decideVolume(own, its)).toMatchObject({ kind: 'phase', phase: 'Bound' });
});

test('news that is not new is not kept twice, and old news goes', () => {
  const news = (message: string) => ({ type: 'Normal', reason: 'FailedBinding', message }) as const;
  const once = withNews(aClaim(), news('a'), NOW);
  expect(withNews(once, news('a'), NOW)).toBe(once);
  const often = Array.from({ length: 20 }, (_, nth) => news(String(nth))).reduce(
    (all, each) => withNews(all, each, NOW),
    once,
  );
  expect((often['ledger'] as { news: readonly unknown[] }).news).toHaveLength(10);
});

describe('a volume', () => {
  const OWN = { namespace: 'default', name: 'data', uid: 'u-1' };
  const made = { annotations: { 'pv.kubernetes.io/provisioned-by': 'muster.run/local-folder' } };
  const deleting = { claimRef: OWN, persistentVolumeReclaimPolicy: 'Delete' };
  test.each<[string, Volume, ReturnType<typeof aClaim> | null, object]>([
    ['without a claim is available', aVolume('a'), null, { kind: 'phase', phase: 'Available' }],
    [
      'that is kept for a name is available',
      aVolume('a', { claimRef: { ...OWN, uid: undefined } }),
      null,
      { kind: 'phase', phase: 'Available' },
    ],
    ['waits for its claim to say so', aVolume('a', { claimRef: OWN }), aClaim(), { kind: 'nothing' }],
    [
      'is released',
      aVolume('a', { claimRef: OWN, persistentVolumeReclaimPolicy: 'Retain' }),
      null,
      { kind: 'phase', phase: 'Released' },
    ],
    ['cannot be deleted with its claim', aVolume('a', deleting), null, { kind: 'phase', phase: 'Failed' }],
    ['that was made goes', aVolume('pvc-u-1', deleting, made), null, { kind: 'remove' }],
    ['that only says so does not', aVolume('pvc-u-2', deleting, made), null, { kind: 'phase', phase: 'Failed' }],
    [
      'of a claim that has another',
      aVolume('a', { claimRef: OWN }),
      aClaim({ volumeName: 'b' }),
      { kind: 'unbind', keepsName: true },
    ],
    [
      'that was only found for it',
      aVolume('a', { claimRef: OWN }, { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } }),
      aClaim({ volumeName: 'b' }),
      { kind: 'unbind', keepsName: false },
    ],
    [
      'that was made for a claim that has another',
      aVolume('pvc-u-1', deleting, made),
      aClaim({ volumeName: 'b' }),
      { kind: 'remove' },
    ],
  ])('%s', (_name, own, its, expected) => {
    expect(decideVolume(own, its)).toMatchObject(expected);
  });
});
