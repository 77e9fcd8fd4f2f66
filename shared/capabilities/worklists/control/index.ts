export { deleteWorkList, sweepContents } from './work-list-contents.ts';
