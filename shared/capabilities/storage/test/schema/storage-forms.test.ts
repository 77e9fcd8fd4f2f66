import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';
import {
  type PlainForm,
  type PlainShape,
  admitPlain,
  admitPlainUpdate,
} from '../../../../schema/object/plain-admission.ts';
import { CLAIM_FORM } from '../../schema/claim-form.ts';
import { STORAGE_CLASS_FORM } from '../../schema/storage-class-form.ts';
import { VOLUME_FORM } from '../../schema/volume-form.ts';
import { claim, storageClass, volume } from '../storage-documents.ts';

const CONTEXT = { namespace: 'default', nameSuffix: 'xxxxx', fieldValidation: 'Strict' } as const;

function faults<T extends PlainShape>(form: PlainForm<T>, document: unknown): readonly string[] {
  const admission = admitPlain(form, document, CONTEXT);
  return admission.kind === 'invalid'
    ? admission.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`)
    : admission.kind === 'ok'
      ? []
      : [admission.kind];
}

/** The faults of a change. */
function changed<T extends PlainShape>(form: PlainForm<T>, before: unknown, after: unknown): readonly string[] {
  const first = admitPlain(form, before, CONTEXT);
  if (first.kind !== 'ok') throw new Error(first.kind);
  const update = admitPlainUpdate(form, { manifest: first.manifest, uid: 'u' }, after, CONTEXT);
  return update.kind === 'invalid' ? update.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`) : [];
}

const LATER = 'Forbidden: not supported by this version of Muster;';
const MODES = '"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"';
const csi = (volumeHandle: string, more: object = {}) => ({
  csi: { driver: 'efs.csi.aws.com', volumeHandle, ...more },
});

describe('a PersistentVolumeClaim', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'that says nothing',
      { accessModes: [], resources: {} },
      [
        'spec.accessModes: Required value: at least 1 access mode is required',
        'spec.resources[storage]: Required value',
      ],
    ],
    [
      'of no size',
      { resources: { requests: { storage: '0' } } },
      ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
    ],
    [
      'with other modes',
      { accessModes: ['Any', 'ReadWriteOncePod', 'ReadWriteOnce'] },
      [
        `spec.accessModes: Unsupported value: "Any": supported values: ${MODES}`,
        'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      ],
    ],
    [
      'of a device',
      { volumeMode: 'Block' },
      [`spec.volumeMode: ${LATER} use Filesystem, or leave it out: tasks have no block devices`],
    ],
    [
      'with a mode that is none',
      { volumeMode: 'x' },
      ['spec.volumeMode: Unsupported value: "x": supported values: "Block", "Filesystem"'],
    ],
    [
      'made of another one',
      { dataSource: { kind: 'VolumeSnapshot', name: 'a' }, volumeAttributesClassName: 'a' },
      [
        `spec.dataSource: ${LATER} copy the files with a Job: no volume is made of another one`,
        `spec.volumeAttributesClassName: ${LATER} leave it out: file systems of EFS have their own throughput`,
      ],
    ],
    [
      'with a selector',
      { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      [
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
  ])('%s', (_name, spec, expected) => {
    expect(faults(CLAIM_FORM, claim('data', spec))).toEqual(expected);
  });

  test('as a cluster exports one is taken', () => {
    const exported = claim('data', {}, { finalizers: ['kubernetes.io/pvc-protection'] });
    const admission = admitPlain(CLAIM_FORM, { ...exported, status: { phase: 'Bound' } }, CONTEXT);
    expect(admission).toMatchObject({ kind: 'ok' });
    expect(JSON.stringify(admission)).not.toContain('finalizers');
    expect(faults(CLAIM_FORM, claim('data', {}, { finalizers: ['a/b'] }))).toHaveLength(1);
  });

  test('may name its volume and its class once, and nothing else', () => {
    const before = claim('data');
    expect(changed(CLAIM_FORM, before, claim('data', { volumeName: 'a', storageClassName: 'b' }))).toEqual([]);
    const named = claim('data', { volumeName: 'a' });
    expect(changed(CLAIM_FORM, named, claim('data', { volumeName: 'b' }))).toEqual([
      expect.stringMatching(/^spec: Forbidden: spec is immutable after creation except resources\.requests/),
    ]);
    expect(changed(CLAIM_FORM, named, before)).toHaveLength(1);
    expect(changed(CLAIM_FORM, before, claim('data', { resources: { requests: { storage: '2Gi' } } }))).toEqual([
      expect.stringMatching(/^spec\.resources\.requests\.storage: Forbidden: a claim keeps its size/),
    ]);
  });
});

describe('a PersistentVolume', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'that says nothing',
      { capacity: {}, accessModes: [], csi: undefined },
      [
        'spec.accessModes: Required value',
        'spec.capacity: Required value',
        'spec: Required value: must specify a volume type',
      ],
    ],
    ['of two sources', { hostPath: { path: '/a' } }, ['spec.csi: Forbidden: may not specify more than 1 volume type']],
    [
      'of another cloud',
      { csi: undefined, gcePersistentDisk: { pdName: 'a' } },
      [
        `spec.gcePersistentDisk: ${LATER} write csi with driver efs.csi.aws.com, or nfs with the DNS name of a file system of EFS`,
      ],
    ],
    [
      'of another driver',
      { csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } },
      [
        `spec.csi.driver: ${LATER} a volume of EBS is made with its task and ends with it; write efs.csi.aws.com for files that stay`,
      ],
    ],
    [
      'with an access point and a folder',
      csi('fs-0123456789abcdef0:/a:fsap-0123456789abcdef0'),
      [
        'spec.csi.volumeHandle: Invalid value: "fs-0123456789abcdef0:/a:fsap-0123456789abcdef0": an access point has a folder of its own, and ECS takes no other beside it: leave the path out',
      ],
    ],
    [
      'of no file system',
      csi('vol-1'),
      [
        'spec.csi.volumeHandle: Invalid value: "vol-1": write fs-0123456789abcdef0, with :/folder or ::fsap-0123456789abcdef0 after it, and s3files: before it for S3 Files',
      ],
    ],
    [
      'with the way out of its folder',
      csi('fs-0123456789abcdef0:/a/../b'),
      [expect.stringContaining('spec.csi.volumeHandle: Invalid value') as unknown as string],
    ],
    [
      'with attributes and options',
      {
        ...csi('fs-0123456789abcdef0::fsap-0123456789abcdef0', {
          volumeAttributes: { encryptInTransit: 'false', mounttargetip: '10.0.0.1', x: 'y' },
        }),
        mountOptions: ['tls', 'nconnect=16', 'accesspoint=a'],
      },
      [
        `spec.csi.volumeAttributes[mounttargetip]: ${LATER} leave it out: ECS finds the mount target of its zone, in the account of the task`,
        'spec.csi.volumeAttributes[x]: Unsupported value: "x": supported values: "encryptInTransit", "path"',
        `spec.mountOptions[1]: ${LATER} write tls, iam, or accesspoint=fsap-...: ECS mounts EFS in its own way`,
        'spec.mountOptions[2]: Invalid value: "accesspoint=a": write accesspoint=fsap-0123456789abcdef0',
      ],
    ],
    [
      'of a role without encryption',
      {
        ...csi('fs-0123456789abcdef0', { volumeAttributes: { encryptInTransit: 'false' } }),
        mountOptions: ['iam'],
      },
      [
        'spec.csi.volumeAttributes[encryptInTransit]: Forbidden: an access point, and the option iam, need encryption in transit: leave it out',
      ],
    ],
    [
      'of another server',
      { csi: undefined, nfs: { server: '10.0.0.1', path: 'a' } },
      [
        `spec.nfs.server: ${LATER} Fargate mounts no NFS but that of EFS: write fs-....efs.REGION.amazonaws.com`,
        'spec.nfs.path: Invalid value: "a": must be an absolute path',
      ],
    ],
    [
      'that is local',
      { csi: undefined, local: { path: '/a' } },
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    [
      'that is recycled',
      { persistentVolumeReclaimPolicy: 'Recycle' },
      [`spec.persistentVolumeReclaimPolicy: ${LATER} write Retain, and remove the files with a Job`],
    ],
    [
      'of CPUs',
      { capacity: { cpu: '1', storage: '1Gi' } },
      ['spec.capacity: Unsupported value: {"cpu":"1","storage":"1Gi"}: supported values: "storage"'],
    ],
  ])('%s', (_name, spec, expected) => {
    expect(faults(VOLUME_FORM, volume('v', spec))).toEqual(expected);
  });

  test('is kept for a claim that there can be', () => {
    const kept = (claimRef: object) => faults(VOLUME_FORM, volume('v', { claimRef }));
    expect([kept({}), kept({ namespace: 'a', name: 'b' })]).toEqual([[], []]);
    expect(kept({ name: '../b' }).map((each) => each.split(':')[0])).toEqual([
      'spec.claimRef.namespace',
      'spec.claimRef.name',
    ]);
    expect(faults(CLAIM_FORM, claim('data', { volumeName: 'A_b' }))).toHaveLength(1);
  });

  test.each([
    'fs-01234567',
    'fs-0123456789abcdef0:/',
    'fs-0123456789abcdef0:/a/b',
    'fs-0123456789abcdef0::fsap-0123456789abcdef0',
    's3files:fs-0123456789abcdef0',
    's3files:fs-0123456789abcdef0::fsap-0123456789abcdef0',
  ])('%s is a handle', (handle) => {
    expect(faults(VOLUME_FORM, volume('v', csi(handle)))).toEqual([]);
  });

  test('keeps its source', () => {
    expect(changed(VOLUME_FORM, volume('v'), volume('v', { capacity: { storage: '1Gi' } }))).toEqual([]);
    expect(changed(VOLUME_FORM, volume('v'), volume('v', csi('fs-01234567')))).toEqual([
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
    ]);
  });
});

describe('a StorageClass', () => {
  test.each<[string, object, readonly string[]]>([
    ['that says nothing', { provisioner: undefined }, ['provisioner: Required value']],
    [
      'with other words',
      { reclaimPolicy: 'Keep', volumeBindingMode: 'Later' },
      [
        'reclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Retain"',
        'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      ],
    ],
    ['that recycles', { reclaimPolicy: 'Recycle' }, [`reclaimPolicy: ${LATER} write Retain or Delete`]],
  ])('%s', (_name, more, expected) => {
    expect(faults(STORAGE_CLASS_FORM, storageClass('a', more))).toEqual(expected);
  });

  test('keeps what its volumes are made by', () => {
    const before = storageClass('a', { parameters: { a: 'b' } });
    expect(changed(STORAGE_CLASS_FORM, before, { ...before, allowVolumeExpansion: true })).toEqual([]);
    expect(
      changed(STORAGE_CLASS_FORM, before, {
        ...storageClass('a', {
          provisioner: 'b.c/d',
          reclaimPolicy: 'Retain',
          volumeBindingMode: 'WaitForFirstConsumer',
        }),
      }),
    ).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ]);
  });
});
