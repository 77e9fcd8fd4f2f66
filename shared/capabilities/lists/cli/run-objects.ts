import type { ItemCarrier } from '../../../../cli/run-line/item-carrier.ts';
import type { CreateObject } from '../../../../cli/create/create-object.ts';
import { WORK_LIST_CARRIER, createWorkList } from '../../worklists/cli/index.ts';

/** How `muster run -f` creates objects that it may replace, by kind. */
export const REPLACEABLE: Readonly<Record<string, CreateObject>> = {
  WorkList: createWorkList,
};

/** What brings the items of `muster run NAME … -- COMMAND` to its Job if its manifest cannot hold them: the first that there is. */
export const ITEM_CARRIERS: readonly ItemCarrier[] = [WORK_LIST_CARRIER];
