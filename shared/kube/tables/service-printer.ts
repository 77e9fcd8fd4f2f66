import type { KubeObject } from '../kube-object.ts';
import { ageOf } from './ages.ts';
import { AGE, NAME, type Printer, text, wide } from './printer.ts';

/** Services, of which there are none: the columns are all that is seen of it. */
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
