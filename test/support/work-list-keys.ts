import { isThere } from './kinds-there.ts';

/** What messages call the ways to give a work list: one of them is a capability's, which may be left out. */
export const A_WORK_LIST = `a work list: muster.run/items${isThere('WorkList') ? ', muster.run/work-list' : ''} or muster.run/matrix`;
