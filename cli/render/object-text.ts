import { stringify } from 'yaml';
import type { ObjectForm } from './object-forms.ts';

/** An object as JSON or YAML, ending with a newline. */
export const objectText = (object: unknown, form: ObjectForm): string =>
  form === 'json'
    ? `${JSON.stringify(object, null, 2)}\n`
    : stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });

/** Several objects as a List, as kubectl prints them. */
export const listOf = (items: readonly unknown[]): object => ({ apiVersion: 'v1', kind: 'List', metadata: {}, items });
