import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const AT = 'spec.template.spec.volumes[0].hostPath';
const pod = (hostPath: object, more: object = {}) =>
  jobDocument({}, {}, { volumes: [{ name: 'in', hostPath, ...more }] });
const faults = (hostPath: object, hostFolders?: readonly string[], more: object = {}) =>
  faultLines(admitDocument(pod(hostPath, more), hostFolders === undefined ? {} : { hostFolders }));

test('on Fargate nothing of the host is shared, whatever is asked for', () => {
  const refused = [
    `${AT}: Forbidden: not supported by this version of Muster; leave it out: Fargate shares nothing of the host`,
  ];
  for (const hostPath of [{ path: '/srv' }, {}, { path: '..', type: 'x' }]) expect(faults(hostPath)).toEqual(refused);
  expect(faults({ path: '/srv' }, undefined, { emptyDir: {} })).toEqual(refused);
});

test('on this machine nothing is, until somebody allows it', () => {
  expect(faults({ path: '/srv' }, [])).toEqual([
    `${AT}: Forbidden: start muster local with --allow-host-path and a folder: Pods may mount what is in it`,
  ]);
});

describe('what is in the allowed folders', () => {
  const FOLDERS = ['/srv/data', '/mnt/disk'];

  test('may be mounted, and the type is shown as in a cluster', () => {
    const volumesOf = (hostPath: object) =>
      admitted(pod(hostPath), { hostFolders: FOLDERS }).manifest.spec.template.spec.volumes;
    expect(volumesOf({ path: '/srv/data/in/', type: 'DirectoryOrCreate' })).toEqual([
      { name: 'in', hostPath: { path: '/srv/data/in/', type: 'DirectoryOrCreate' } },
    ]);
    expect(volumesOf({ path: '/mnt/disk' })).toEqual([{ name: 'in', hostPath: { path: '/mnt/disk', type: '' } }]);
  });

  test.each<[object, string]>([
    [{}, `${AT}.path: Required value`],
    [{ path: '', type: 'Nothing' }, `${AT}.path: Required value`],
    [{ path: '/srv/data/../x' }, `${AT}.path: Invalid value: "/srv/data/../x": must not contain '..'`],
    [{ path: '/srv/data/a\0b' }, String.raw`${AT}.path: Invalid value: "/srv/data/a\u0000b": must not contain NUL`],
    [
      { path: '/srv/database' },
      `${AT}.path: Forbidden: it is not within what muster local --allow-host-path names: /srv/data, /mnt/disk`,
    ],
    [
      { path: 'srv/data' },
      `${AT}.path: Forbidden: it is not within what muster local --allow-host-path names: /srv/data, /mnt/disk`,
    ],
    [
      { path: '/mnt/disk', type: 'Pipe' },
      `${AT}.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"`,
    ],
  ])('%j is refused', (hostPath, fault) => {
    expect(faults(hostPath, FOLDERS)).toEqual([fault]);
  });

  test('is no emptyDir', () => {
    expect(faults({ path: '/srv/data' }, FOLDERS, { emptyDir: {} })).toEqual([
      `${AT}: Forbidden: may not specify more than 1 volume type`,
    ]);
  });
});
