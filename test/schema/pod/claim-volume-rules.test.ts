import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const AT = 'spec.template.spec.volumes[0]';
const LATER = 'Forbidden: not supported by this version of Muster';
const pod = (source: object) => jobDocument({}, {}, { volumes: [{ name: 'v', ...source }] });
const faults = (source: object, hostFolders: readonly string[] | null = null) =>
  faultLines(admitDocument(pod(source), { hostFolders }));

test('a claim is named', () => {
  const at = `${AT}.persistentVolumeClaim.claimName`;
  expect(faults({ persistentVolumeClaim: { claimName: 'data', readOnly: true } })).toEqual([]);
  expect(faults({ persistentVolumeClaim: {} })).toEqual([`${at}: Required value`]);
  expect(faults({ persistentVolumeClaim: { claimName: 'A/b' } })).toEqual([
    expect.stringContaining(`${at}: Invalid value: "A/b": a lowercase RFC 1123 subdomain`),
  ]);
});

test('the fault of a volume of CSI names PersistentVolumes', () => {
  expect(faults({ csi: { driver: 'efs.csi.aws.com' } })).toEqual([
    `${AT}.csi: ${LATER}; make a PersistentVolume with this csi and a PersistentVolumeClaim for it, and name the claim`,
  ]);
});

describe('a claim of a Pod', () => {
  const at = `${AT}.ephemeral.volumeClaimTemplate`;
  const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } };
  const claim = (fields: object, metadata: object = {}) => ({
    ephemeral: { volumeClaimTemplate: { metadata, spec: { ...CLAIM, ...fields } } },
  });

  test('is stored with the defaults of Kubernetes', () => {
    const labels = { a: 'b' };
    const { manifest } = admitted(pod(claim({ storageClassName: 'gp3' }, { labels })));
    expect(manifest.spec.template.spec.volumes).toEqual([
      {
        name: 'v',
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { labels },
            spec: { ...CLAIM, storageClassName: 'gp3', volumeMode: 'Filesystem' },
          },
        },
      },
    ]);
  });

  test.each<[string, object, readonly string[]]>([
    ['no template', { ephemeral: {} }, [`${at}: Required value`]],
    [
      'nothing in it',
      { ephemeral: { volumeClaimTemplate: {} } },
      [
        `${at}.spec.accessModes: Required value: at least 1 access mode is required`,
        `${at}.spec.resources[storage]: Required value`,
      ],
    ],
    [
      'modes',
      claim({ accessModes: ['ReadWriteOncePod', 'ReadAll'] }),
      [
        `${at}.spec.accessModes: Unsupported value: "ReadAll": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`,
        `${at}.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes`,
      ],
    ],
    [
      'no size',
      claim({ resources: { requests: { storage: '0' } } }),
      [`${at}.spec.resources[storage]: Invalid value: "0": must be greater than zero`],
    ],
    [
      'a size that is none',
      claim({ resources: { requests: { storage: 'big' } } }),
      [expect.stringMatching(/resources\[storage\]: Invalid value: "big": quantities must match/) as string],
    ],
    [
      'a class that is none',
      claim({ storageClassName: 'A' }),
      [expect.stringMatching(/storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain/) as string],
    ],
    [
      'a block device',
      claim({ volumeMode: 'Block' }),
      [`${at}.spec.volumeMode: ${LATER}; use Filesystem, or leave it out: tasks have no block devices`],
    ],
    [
      'another mode',
      claim({ volumeMode: 'Tape' }),
      [`${at}.spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"`],
    ],
    [
      'a choice of volumes',
      claim({ selector: { matchLabels: { a: 'b' } }, volumeName: 'x' }),
      ['selector', 'volumeName'].map(
        (name) => `${at}.spec.${name}: ${LATER}; leave it out: the volume is made for the Pod`,
      ),
    ],
    [
      'metadata that the server sets',
      claim({}, { name: 'x', finalizers: ['a/b'], labels: { a: '-' } }),
      [
        expect.stringMatching(/metadata\.labels: Invalid value: "-"/) as string,
        `${at}.metadata.name: Forbidden: cannot be set`,
        `${at}.metadata.finalizers: Forbidden: cannot be set`,
      ],
    ],
  ])('%s', (_, source, expected) => {
    expect(faults(source)).toEqual(expected);
  });
});

describe('NFS', () => {
  const EFS = 'fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com';

  test('is of EFS on Fargate', () => {
    for (const server of [EFS, `eu-central-1a.${EFS}`, `${EFS}.`])
      expect(faults({ nfs: { server, path: '/' } })).toEqual([]);
    expect(
      faults({ nfs: { server: 'fs-01234567.efs.cn-north-1.amazonaws.com.cn', path: '/a', readOnly: true } }),
    ).toEqual([]);
    for (const server of ['10.0.0.1', `x.${EFS}`, `${EFS}.example.com`, EFS.toUpperCase()])
      expect(faults({ nfs: { server, path: '/' } })).toEqual([
        `${AT}.nfs.server: ${LATER}; use a file system of EFS by its DNS name, as ${EFS}: Fargate mounts no other`,
      ]);
  });

  test('is nothing that this machine mounts', () => {
    for (const folders of [[], ['/']])
      expect(faults({ nfs: { server: EFS, path: '/' } }, folders)).toEqual([
        `${AT}.nfs: ${LATER}; mount the share on this machine, and use a hostPath (muster local --allow-host-path)`,
      ]);
  });

  test('has a server and an absolute path', () => {
    expect(faults({ nfs: {} })).toEqual([`${AT}.nfs.server: Required value`, `${AT}.nfs.path: Required value`]);
    expect(faults({ nfs: { server: EFS, path: 'a' } })).toEqual([
      `${AT}.nfs.path: Invalid value: "a": must be an absolute path`,
    ]);
    expect(faults({ nfs: { server: EFS, path: '/a/..' } })).toEqual([
      `${AT}.nfs.path: Invalid value: "/a/..": must not contain '..'`,
    ]);
  });
});
