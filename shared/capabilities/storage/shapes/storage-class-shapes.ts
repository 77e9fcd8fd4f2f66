import {
  BOOL,
  REQUIRED,
  STRING,
  STRINGS,
  STRING_MAP,
  ZERO_SHOWN,
  field,
  listOf,
  object,
} from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

const CORE = 'io.k8s.api.core.v1';

/** Classes of storage. */
export const STORAGE_CLASS_SHAPES = {
  StorageClass: {
    openapi: 'io.k8s.api.storage.v1.StorageClass',
    description:
      'What claims and volumes have to have in common. On a machine, the class of provisioner muster.run/local-folder makes a folder for each claim.',
    apiVersion: 'storage.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations.'),
      provisioner: field(
        2,
        STRING,
        'What makes volumes: muster.run/local-folder does, on a machine. Nothing else does.',
        REQUIRED,
      ),
      parameters: field(3, STRING_MAP, 'Accepted, and has no effect.'),
      reclaimPolicy: field(
        4,
        STRING,
        'What becomes of a volume that was made: Delete, the default, or Retain.',
        ZERO_SHOWN,
      ),
      mountOptions: field(5, STRINGS, 'Those of the volumes that are made.'),
      allowVolumeExpansion: field(6, BOOL, 'Accepted, and has no effect: claims keep their size.', ZERO_SHOWN),
      volumeBindingMode: field(
        7,
        STRING,
        'Immediate or WaitForFirstConsumer; both bind at once, as there are no nodes.',
        ZERO_SHOWN,
      ),
      allowedTopologies: field(8, listOf(object('TopologySelectorTerm')), 'Accepted, and has no effect.'),
    },
  },
  TopologySelectorTerm: {
    openapi: `${CORE}.TopologySelectorTerm`,
    description: 'Conditions on a place.',
    atomic: true,
    fields: {
      matchLabelExpressions: field(1, listOf(object('TopologySelectorLabelRequirement')), 'Conditions on labels.'),
    },
  },
  TopologySelectorLabelRequirement: {
    openapi: `${CORE}.TopologySelectorLabelRequirement`,
    description: 'A condition on a label.',
    fields: {
      key: field(1, STRING, 'The label.', REQUIRED),
      values: field(2, STRINGS, 'Its values.', REQUIRED),
    },
  },
} as const satisfies KindTable;
