import { DEFAULT_ACCOUNT } from '../../domain/callers/accounts.ts';
import { SERVICE_ACCOUNT_FORM } from '../../schema/account/service-account-form.ts';
import { defaultAccountOf } from '../../store/default-account.ts';
import { allObjects } from '../../store/every-object.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { ageOf } from '../list/ages.ts';
import { AGE, NAME, type Printer, text } from '../list/printer.ts';
import { type Derived, type DerivedPorts, derivedKind } from '../write/derived-kind.ts';
import { plainForm } from '../write/plain-form.ts';
import { accountRoleErrors } from './account-rules.ts';

/** ServiceAccounts as rows; they have no Secrets of their own. */
const PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Secrets', 'How many Secrets it has.'), AGE],
  cells: ({ metadata }, now) => [metadata.name, '0', ageOf(metadata.creationTimestamp, now)],
};

/** The ServiceAccount `default` of each namespace that has none stored. */
const defaultAccounts = ({ objects }: DerivedPorts): Derived => ({
  whyKept: () => null,
  async read({ namespace, name }) {
    if (name !== DEFAULT_ACCOUNT) return null;
    const home = await objects.read('Namespace', { namespace: '', name: namespace });
    return home === null ? null : defaultAccountOf(home);
  },
  async list(namespace) {
    if (namespace === null) return (await allObjects('Namespace', null, objects)).map(defaultAccountOf);
    const home = await objects.read('Namespace', { namespace: '', name: namespace });
    return home === null ? [] : [defaultAccountOf(home)];
  },
});

/** `v1` ServiceAccounts. */
export const SERVICE_ACCOUNT_KIND = derivedKind({
  resource: 'ServiceAccount',
  form: plainForm(SERVICE_ACCOUNT_FORM, (manifest, { taskRoles = null }) => accountRoleErrors(manifest, taskRoles)),
  printer: PRINTER,
  derived: defaultAccounts,
});
