import type { DeletionRow } from '../../control/lifecycle/deletion-row.ts';
import { deleteClaim } from '../storage/control/index.ts';
import { deleteWorkList } from '../worklists/control/index.ts';

/** How objects of which more is stored are deleted with their namespace, by kind. */
export const DELETIONS: Readonly<Record<string, DeletionRow>> = {
  PersistentVolumeClaim: deleteClaim,
  WorkList: deleteWorkList,
};
