import type { ItemSource } from '../../../store/item-source.ts';
import { WORK_LIST_NAMING } from '../annotations/index.ts';
import { admitWorkList } from '../schema/work-list-admission.ts';

const { key, names } = WORK_LIST_NAMING.workList;

/** WorkLists as what Jobs have their items of. */
export const WORK_LIST_SOURCE: ItemSource = {
  key,
  kind: names,
  async find(name, namespace, { objects, items }) {
    const found = await objects.read('WorkList', { namespace, name });
    const head = found === null ? null : await items.readHead(found.document.metadata.uid);
    if (head === null) return { kind: 'absent' };
    const { content, columns, accounts, sealed } = head;
    if (sealed === null) return { kind: 'open' };
    const { count, sha256, widest, taskColumns } = sealed;
    return { kind: 'sealed', content, columns, count, sha256, widest, taskColumns, accounts };
  },
  read(document, namespace) {
    const admission = admitWorkList(document, { namespace, nameSuffix: '', fieldValidation: 'Strict' });
    if (admission.kind !== 'ok') return admission;
    const { items } = admission;
    return items.kind === 'parts' ? { kind: 'later' } : { kind: 'ok', list: items.list };
  },
};
