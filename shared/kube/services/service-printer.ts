import type { KubeObject } from '../http/kube-object.ts';
import { ageOf } from '../list/ages.ts';
import { AGE, NAME, type Printer, text, wide } from '../list/printer.ts';
import { at, listed, words } from '../list/stored-field.ts';

/** Services as rows, as kubectl shows headless ones. */
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
  cells: (service, now) => [
    service.metadata.name,
    words(at(service, 'spec', 'type')),
    words(at(service, 'spec', 'clusterIP')),
    '<none>',
    portsOf(service),
    ageOf(service.metadata.creationTimestamp, now),
    selectorOf(service),
  ],
};

const portsOf = (service: KubeObject): string =>
  listed(at(service, 'spec', 'ports'))
    .map((port) => {
      const { port: number, protocol } = port as { readonly port: number; readonly protocol: string };
      return `${number}/${protocol}`;
    })
    .join(',') || '<none>';

function selectorOf(service: KubeObject): string {
  const selector = at(service, 'spec', 'selector');
  const labels = typeof selector === 'object' && selector !== null ? Object.entries(selector) : [];
  return (
    labels
      .map(([key, value]) => `${key}=${words(value)}`)
      .sort()
      .join(',') || '<none>'
  );
}
