import type { EpochMs } from '../../../../domain/base/time.ts';
import { asTime } from '../../../../domain/base/time.ts';
import type { StoredDocument } from '../../../../ports/object-store.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import type { Random } from '../../../../../test/dst/random.ts';
import { aJob } from '../../../../../test/support/a-job.ts';

/** Where the seed is: on a machine whose folders are volumes, or on AWS. */
export type SeedPlace = 'machine' | 'aws';

/** A Job or two, which have nothing to do with storage: they say when a seed is over. */
export const jobsByLuck = (seed: number, random: Random, createdAt: EpochMs): readonly StoredSpec[] =>
  Array.from({ length: random.between(1, 2) }, (_, nth) =>
    aJob({
      uid: `sim-${seed}-${nth}`,
      name: `work-${nth}`,
      createdAt,
      completionMode: 'Indexed',
      completions: random.between(1, 4),
      parallelism: 2,
    }),
  );

const GIB = ['1Gi', '2Gi', '5Gi'] as const;

/** A volume as the API stores one that is new. Nobody gives a name twice. */
export function volumeByLuck(no: number, random: Random, now: EpochMs): StoredDocument {
  const keeps = random.chance(0.2) ? { claimRef: { namespace: 'default', name: claimName(random) } } : {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${no}`, uid: uidOf('b', no), creationTimestamp: asTime(now) },
    spec: {
      capacity: { storage: random.pick(GIB) },
      accessModes: random.pick([['ReadWriteMany'], ['ReadWriteMany', 'ReadWriteOnce']]),
      persistentVolumeReclaimPolicy: random.pick(['Retain', 'Retain', 'Delete']),
      volumeMode: 'Filesystem',
      csi: { driver: 'efs.csi.aws.com', volumeHandle: 'fs-01234567' },
      ...keeps,
    },
    status: { phase: 'Pending' },
  };
}

/** Few names, so that claims are made anew under them. */
const claimName = (random: Random): string => `claim-${random.between(0, 3)}`;

/** A claim as the API stores one that is new. */
export function claimByLuck(no: number, place: SeedPlace, random: Random, now: EpochMs): StoredDocument {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(random),
      namespace: 'default',
      uid: uidOf('c', no),
      creationTimestamp: asTime(now),
    },
    spec: {
      accessModes: [random.pick(['ReadWriteMany', 'ReadWriteMany', 'ReadWriteOnce'])],
      resources: { requests: { storage: random.pick(['1Gi', '1Gi', '2Gi', '5Gi']) } },
      // On a machine most get a folder.
      ...(random.chance(place === 'machine' ? 0.2 : 0.6) ? { storageClassName: '' } : {}),
      ...(random.chance(0.2) ? { volumeName: `volume-${random.between(0, no)}` } : {}),
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Pending' },
  };
}

const uidOf = (first: string, no: number): string => `${first}0000000-0000-4000-8000-${String(no).padStart(12, '0')}`;
