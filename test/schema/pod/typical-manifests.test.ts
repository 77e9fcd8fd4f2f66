import { expect, test } from 'vitest';
import { admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { TYPICAL, jobIn } from '../../fixtures/typical-manifests.ts';
import { UID, admitDocument, admitted, faultLines } from '../../support/job-document.ts';

// What becomes of each manifest when it is applied. How those that apply end is in test/containers/manifests.test.ts.

const SPEC = 'spec.template.spec';
const refusal = (path: string, instead: string) =>
  `${SPEC}.${path}: Forbidden: not supported by this version of Muster; ${instead}`;

/** What is refused; nothing: it applies. */
type Expected = { readonly onAws?: readonly string[]; readonly onThisMachine?: readonly string[] };
const everywhere = (...faults: string[]): Expected => ({ onAws: faults, onThisMachine: faults });

const EXPECTED: Readonly<Record<string, Expected>> = {
  'account-token': {
    onAws: [
      refusal(
        'volumes[0].projected.sources[0].serviceAccountToken',
        'leave it out: no token is mounted, and a task has its AWS role',
      ),
    ],
  },
  affinity: {},
  'backup-to-a-bucket': {},
  'config-file': {},
  'env-from': {},
  'fetch-then-work': {},
  'file-owner': {},
  'index-file': {},
  'migration-with-certificates': {},
  'nightly-script': {},
  'one-file-by-sub-path': {
    onAws: [
      refusal(
        'containers[0].volumeMounts[0].subPath',
        'mount the whole volume in a folder of its own: Fargate mounts no single file',
      ),
    ],
  },
  'own-folder-by-name': {
    onAws: [
      refusal(
        'containers[0].volumeMounts[0].subPathExpr',
        'mount the whole volume, and let the program go to its folder: all Pods of a Job mount the same on Fargate',
      ),
    ],
  },
  priority: {},
  'private-image': {},
  probes: {},
  'projected-settings': {},
  'release-hook': {},
  'scratch-claim': {
    onAws: [
      refusal(
        'volumes[0].ephemeral.volumeClaimTemplate.spec.storageClassName',
        'use gp3 or another type of EBS, or leave it out for disk of the task',
      ),
    ],
  },
  'secret-variables': {},
  'share-over-nfs': {
    onAws: [
      refusal(
        'volumes[0].nfs.server',
        'use a file system of EFS by its DNS name, as fs-0123456789abcdef0.efs.eu-central-1.amazonaws.com: Fargate mounts no other',
      ),
    ],
    onThisMachine: [
      refusal('volumes[0].nfs', 'mount the share on this machine, and use a hostPath (muster local --allow-host-path)'),
    ],
  },
  'shared-claim': {},
  'stop-hook': everywhere(refusal('containers[0].lifecycle', 'do it in the command; handle SIGTERM to clean up')),
  tolerations: {},
  'work-list-in-a-config-map': {},
};

test('each manifest is in the table', () => {
  expect(TYPICAL).toEqual(Object.keys(EXPECTED));
});

test.each(Object.entries(EXPECTED))('%s', (name, { onAws = [], onThisMachine = [] }) => {
  const job = jobIn(name);
  expect(faultLines(admitDocument(job))).toEqual(onAws);
  expect(faultLines(admitDocument(job, { hostFolders: [] }))).toEqual(onThisMachine);
});

test.each(Object.keys(EXPECTED).filter((name) => EXPECTED[name]?.onThisMachine === undefined))(
  '%s, applied again, is unchanged',
  (name) => {
    const { manifest } = admitted(jobIn(name), { hostFolders: [] });
    const stored = { manifest, uid: UID, started: true, deleting: false };
    const again = admitJobUpdate(stored, documentOf({ manifest, uid: UID }), { fieldValidation: 'Strict' });
    expect(again).toMatchObject({ kind: 'ok', changed: 'nothing', manifest });
  },
);
