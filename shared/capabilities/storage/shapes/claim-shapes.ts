import {
  CORE,
  QUANTITY_MAP,
  REQUIRED,
  STRING,
  STRINGS,
  ZERO_SHOWN,
  field,
  object,
  unserved,
} from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

/** Claims. Their spec is that of the claims in Pods, too, which are refused as a whole. */
export const CLAIM_SHAPES = {
  PersistentVolumeClaim: {
    openapi: `${CORE}.PersistentVolumeClaim`,
    description: 'Asks for storage, and names it for Pods of its namespace.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      spec: field(2, object('PersistentVolumeClaimSpec'), 'What is asked for.'),
      status: field(3, object('PersistentVolumeClaimStatus'), 'What it has got. Muster sets it.'),
    },
  },
  PersistentVolumeClaimSpec: {
    openapi: `${CORE}.PersistentVolumeClaimSpec`,
    description: 'What a claim asks for.',
    fields: {
      accessModes: field(1, STRINGS, 'How it is to be mounted: the volume has at least these modes.'),
      selector: field(4, object('LabelSelector'), 'Labels of the volume.'),
      resources: field(
        2,
        object('VolumeResourceRequirements'),
        'How much: requests.storage. Nothing holds tasks to it.',
      ),
      volumeName: field(3, STRING, 'The volume. Empty: any that fits.'),
      storageClassName: field(
        5,
        STRING,
        'The class of the volume. Omitted: the default class, if there is one. Empty: a volume without a class, and none is made.',
        ZERO_SHOWN,
      ),
      volumeMode: field(6, STRING, 'Filesystem, which is the default. Block is refused.', ZERO_SHOWN),
      dataSource: unserved(7, object('TypedLocalObjectReference')),
      dataSourceRef: unserved(8, object('TypedObjectReference')),
      volumeAttributesClassName: unserved(9, STRING, ZERO_SHOWN),
    },
  },
  VolumeResourceRequirements: {
    openapi: `${CORE}.VolumeResourceRequirements`,
    description: 'How much storage.',
    fields: {
      limits: field(1, QUANTITY_MAP, 'Accepted, and has no effect.'),
      requests: field(2, QUANTITY_MAP, 'storage: the volume is at least as large.'),
    },
  },
  PersistentVolumeClaimStatus: {
    openapi: `${CORE}.PersistentVolumeClaimStatus`,
    description: 'What a claim has got.',
    fields: {
      phase: field(1, STRING, 'Pending, Bound, or Lost: its volume is gone.'),
      accessModes: field(2, STRINGS, 'How its volume may be mounted.'),
      capacity: field(3, QUANTITY_MAP, 'The size of its volume.'),
      conditions: unserved(4, {
        is: 'list',
        of: object('PersistentVolumeClaimCondition'),
        apply: ['type'],
        patch: { key: 'type' },
      }),
      allocatedResources: unserved(5, QUANTITY_MAP),
      allocatedResourceStatuses: unserved(7, { is: 'map', of: STRING }),
      currentVolumeAttributesClassName: unserved(8, STRING, ZERO_SHOWN),
      modifyVolumeStatus: unserved(9, object('ModifyVolumeStatus')),
    },
  },
  PersistentVolumeClaimCondition: {
    openapi: `${CORE}.PersistentVolumeClaimCondition`,
    description: 'Not supported by Muster.',
    fields: { type: field(1, STRING, 'Its type.', REQUIRED), status: field(2, STRING, 'Its status.', REQUIRED) },
  },
  ModifyVolumeStatus: {
    openapi: `${CORE}.ModifyVolumeStatus`,
    description: 'Not supported by Muster.',
    fields: {
      targetVolumeAttributesClassName: field(1, STRING, 'Its class.'),
      status: field(2, STRING, 'Its status.', REQUIRED),
    },
  },
} as const satisfies KindTable;
