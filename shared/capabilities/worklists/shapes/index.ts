export { WORK_LIST_SHAPES } from './work-list-shapes.ts';
