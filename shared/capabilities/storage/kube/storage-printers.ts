import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { AGE, NAME, type Printer, flag, text, wide } from '../../../kube/list/printer.ts';
import { at, listed, words } from '../../../kube/list/stored-field.ts';
import { NOTED } from '../domain/storage-objects.ts';

// As kubectl shows them.

const SHORT: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** In Kubernetes' order, each once. */
function modesOf(modes: unknown): string {
  const all = listed(modes).map(words);
  return Object.entries(SHORT)
    .flatMap(([mode, short]) => (all.includes(mode) ? [short] : []))
    .join(',');
}

const annotationOf = (object: KubeObject, key: string): string => words(at(object, 'metadata', 'annotations', key));

const classOf = (object: KubeObject): string =>
  annotationOf(object, NOTED.olderClass) || words(at(object, 'spec', 'storageClassName'));

const MODE = wide('VolumeMode', 'Filesystem.');
const ATTRIBUTES = text('VolumeAttributesClass', 'There are none.');
const UNSET = '<unset>';

export const VOLUME_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Capacity', 'Its size.'),
    text('Access Modes', 'How it may be mounted.'),
    text('Reclaim Policy', 'What becomes of it when its claim is gone.'),
    text('Status', 'Available, Bound, Released, or Failed.'),
    text('Claim', 'The claim that has it, or that it is kept for.'),
    text('StorageClass', 'The class of the claims that it fits.'),
    ATTRIBUTES,
    text('Reason', 'Why it has failed.'),
    AGE,
    MODE,
  ],
  cells: (volume, now) => [
    volume.metadata.name,
    words(at(volume, 'spec', 'capacity', 'storage')),
    modesOf(at(volume, 'spec', 'accessModes')),
    words(at(volume, 'spec', 'persistentVolumeReclaimPolicy')),
    words(at(volume, 'status', 'phase')),
    claimText(at(volume, 'spec', 'claimRef')),
    classOf(volume),
    UNSET,
    words(at(volume, 'status', 'reason')),
    ageOf(volume.metadata.creationTimestamp, now),
    words(at(volume, 'spec', 'volumeMode')),
  ],
};

function claimText(claim: unknown): string {
  const { namespace, name } = (claim ?? {}) as { readonly namespace?: string; readonly name?: string };
  return name === undefined ? '' : `${namespace ?? ''}/${name}`;
}

export const CLAIM_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Status', 'Pending, Bound, or Lost.'),
    text('Volume', 'The volume that it has, or asks for.'),
    text('Capacity', 'The size of its volume.'),
    text('Access Modes', 'How its volume may be mounted.'),
    text('StorageClass', 'Its class.'),
    ATTRIBUTES,
    AGE,
    MODE,
  ],
  cells: (claim, now) => {
    const isBound = words(at(claim, 'spec', 'volumeName')) !== '';
    return [
      claim.metadata.name,
      words(at(claim, 'status', 'phase')),
      words(at(claim, 'spec', 'volumeName')),
      isBound ? words(at(claim, 'status', 'capacity', 'storage')) : '',
      isBound ? modesOf(at(claim, 'status', 'accessModes')) : '',
      classOf(claim),
      UNSET,
      ageOf(claim.metadata.creationTimestamp, now),
      words(at(claim, 'spec', 'volumeMode')),
    ];
  },
};

export const STORAGE_CLASS_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Provisioner', 'What makes its volumes.'),
    text('ReclaimPolicy', 'What becomes of a volume when its claim is gone.'),
    text('VolumeBindingMode', 'When a claim is bound: here always at once.'),
    flag('AllowVolumeExpansion', 'Whether claims may grow: here they never do.'),
    AGE,
  ],
  cells: (storageClass, now) => [
    `${storageClass.metadata.name}${annotationOf(storageClass, NOTED.defaultClass) === 'true' ? ' (default)' : ''}`,
    words(at(storageClass, 'provisioner')),
    words(at(storageClass, 'reclaimPolicy')),
    words(at(storageClass, 'volumeBindingMode')),
    at(storageClass, 'allowVolumeExpansion') === true,
    ageOf(storageClass.metadata.creationTimestamp, now),
  ],
};
