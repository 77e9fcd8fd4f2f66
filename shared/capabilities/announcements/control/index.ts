export { announceChanges } from './announce.ts';
export { tellRefused } from './tell-refused.ts';
