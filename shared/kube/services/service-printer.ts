import type { KubeObject } from '../http/kube-object.ts';
import { ageOf } from '../list/ages.ts';
import { AGE, NAME, type Printer, text, wide } from '../list/printer.ts';

/** Services, which do not exist here: only the columns are visible. */
export const SERVICE_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Type', 'How it is reached.'),
    text('Cluster-IP', 'Its address within the cluster.'),
    text('External-IP', 'Its address outside the cluster.'),
    text('Port(s)', 'Its ports.'),
    AGE,
    wide('Selector', 'Labels by which its Pods are found.'),
  ],
  cells: ({ metadata }, now) => {
    const [age, none] = [ageOf(metadata.creationTimestamp, now), '<none>'];
    return [metadata.name, 'ClusterIP', none, none, none, age, none];
  },
};
