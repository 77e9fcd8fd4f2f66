import { WORK_LIST_KEEPER } from '../../../shared/capabilities/worklists/test/dst/work-list-keeper.ts';
import type { ListKeeper } from './list-keeper.ts';

/** What has the items of the simulation's Jobs under a name. Without any, all Jobs say their items themselves. */
export const LIST_KEEPERS: readonly ListKeeper[] = [WORK_LIST_KEEPER];
