export { admitBatchUpdateOfFuriko } from './batch-update.ts';
export { FURIKO_FORM } from './furiko-form.ts';
