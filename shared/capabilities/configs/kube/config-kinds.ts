import type { StoredObject } from '../../../ports/object-store.ts';
import { forbiddenObject } from '../../../kube/http/status-error.ts';
import { USUAL_FIELDS } from '../../../kube/list/select-stored.ts';
import { at, words } from '../../../kube/list/stored-field.ts';
import { defineKind } from '../../../kube/write/define-kind.ts';
import { type Derived, type DerivedPorts, derivedKind } from '../../../kube/write/derived-kind.ts';
import { plainForm } from '../../../kube/write/plain-form.ts';
import { allObjects } from '../../../store/every-object.ts';
import { CONFIG_KINDS } from '../kinds/index.ts';
import { CONFIG_MAP_FORM } from '../schema/config-map-form.ts';
import { SECRET_FORM } from '../schema/secret-form.ts';
import { ROOT_CA, rootCaOf } from '../store/root-ca.ts';
import { CONFIG_MAP_PRINTER, SECRET_PRINTER } from './config-printers.ts';

const KEPT =
  'every namespace has it, and it cannot be changed: clients trust the certificates that their machine trusts';

/** `kube-root-ca.crt` of each namespace; of one that was made before it was stored, too. */
const rootCas = ({ objects }: DerivedPorts): Derived => ({
  whyKept: ({ name }) => (name === ROOT_CA ? KEPT : null),
  async read(key) {
    if (key.name !== ROOT_CA) return null;
    const stored = await objects.read('ConfigMap', key);
    if (stored !== null) return stored;
    const home = await objects.read('Namespace', { namespace: '', name: key.namespace });
    return home === null ? null : rootCaOf(home);
  },
  async list(namespace) {
    if (namespace === null) return (await allObjects('Namespace', null, objects)).map(rootCaOf);
    const home = await objects.read('Namespace', { namespace: '', name: namespace });
    return home === null ? [] : [rootCaOf(home)];
  },
});

/** `v1` ConfigMaps. */
const CONFIG_MAP_KIND = derivedKind({
  resource: 'ConfigMap',
  form: plainForm(CONFIG_MAP_FORM),
  printer: CONFIG_MAP_PRINTER,
  derived: rootCas,
  objection:
    () =>
    async ({ found }) =>
      found?.object.metadata.name === ROOT_CA ? forbiddenObject(CONFIG_KINDS.ConfigMap, ROOT_CA, KEPT) : null,
});

/** `v1` Secrets. The store that users see has them open. */
const SECRET_KIND = defineKind({
  resource: 'Secret',
  form: plainForm(SECRET_FORM),
  printer: SECRET_PRINTER,
  fields: { ...USUAL_FIELDS, type: (secret) => words(at(secret, 'type')) },
});

/** Both, by name. */
export const CONFIG_SERVED = { ConfigMap: CONFIG_MAP_KIND, Secret: SECRET_KIND };

/** What a new namespace gets, so that watches hear of it. */
export const firstConfigMap = (namespace: StoredObject) =>
  ({ kind: 'ConfigMap', object: rootCaOf(namespace) }) as const;
