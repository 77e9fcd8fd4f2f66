import { LIMIT_RANGE_FORM } from '../schema/limit-range-form.ts';
import { QUOTA_FORM } from '../schema/quota-form.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import { defineKind } from '../../../kube/write/define-kind.ts';
import { plainForm } from '../../../kube/write/plain-form.ts';
import { LIMIT_RANGE_PRINTER, QUOTA_PRINTER } from './quota-printer.ts';

/** `v1` ResourceQuotas: what the Jobs of a namespace may use all together. What is used is counted as soon as its limits change. */
export const QUOTA_KIND = defineKind({
  resource: 'ResourceQuota',
  form: plainForm(QUOTA_FORM),
  printer: QUOTA_PRINTER,
  hooks: ({ objects, commands }) => {
    const counted = async (written: StoredObject): Promise<StoredObject> => {
      await commands.quotas.count(written.key.namespace);
      return (await objects.read('ResourceQuota', written.key)) ?? written;
    };
    return {
      afterCreate: counted,
      afterReplace: async (_was, is, changed) => (changed === 'spec' ? counted(is) : is),
    };
  },
});

/** `v1` LimitRanges: what each container of a namespace may use. */
export const LIMIT_RANGE_KIND = defineKind({
  resource: 'LimitRange',
  form: plainForm(LIMIT_RANGE_FORM),
  printer: LIMIT_RANGE_PRINTER,
});
