import type { ItemCarrier } from '../../../../cli/run-line/item-carrier.ts';
import { WORK_LIST_NAMING } from '../annotations/index.ts';

/** WorkLists as what brings the items of a command line to its Job. Their code is loaded when there is something to bring. */
export const WORK_LIST_CARRIER: ItemCarrier = {
  key: WORK_LIST_NAMING.workList.key,
  word: 'worklist',
  async upload(at, list, upload) {
    const { uploadList } = await import('./carried-list.ts');
    return uploadList(at, list, upload);
  },
  async remove(carried, client) {
    const { removeList } = await import('./carried-list.ts');
    await removeList(carried, client);
  },
};
