export { WORK_LIST_CARRIER } from './work-list-carrier.ts';
export { createWorkList } from './create-work-list.ts';
