import type { KubeObject } from '../http/kube-object.ts';
import { ageOf } from '../list/ages.ts';
import { AGE, NAME, type Printer, text } from '../list/printer.ts';
import { at, words } from '../list/stored-field.ts';

/** Namespaces as rows. */
export const NAMESPACE_PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Status', 'Whether it is in use or being deleted.'), AGE],
  cells: (namespace, now) => [
    namespace.metadata.name,
    words(at(namespace, 'status', 'phase')),
    ageOf(namespace.metadata.creationTimestamp, now),
  ],
};
