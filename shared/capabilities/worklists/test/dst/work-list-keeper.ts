import type { ListKeeper } from '../../../../../test/dst/parts/list-keeper.ts';
import { WORK_LIST_NAMING } from '../../annotations/index.ts';
import { deleteWorkList } from '../../control/work-list-contents.ts';

const keyOf = (name: string) => ({ namespace: 'default', name });

/** WorkLists of the simulation's users. */
export const WORK_LIST_KEEPER: ListKeeper = {
  key: WORK_LIST_NAMING.workList.key,
  async show(name, content, { objects }) {
    await objects.commit('WorkList', { key: keyOf(name), was: 0, document: { metadata: { uid: content } } });
  },
  async remove(name, content, deps) {
    const found = await deps.objects.read('WorkList', keyOf(name));
    if (found !== null && found.document.metadata.uid === content) await deleteWorkList(found, deps);
  },
};
