export { WORK_LIST_KIND } from './work-list-kind.ts';
