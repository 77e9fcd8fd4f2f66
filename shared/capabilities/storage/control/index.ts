export { CLAIM_SOURCE } from './claim-source.ts';
export { createClaimReader, createStorageCommands, deleteClaim } from './storage-changes.ts';
export { sweepStorage } from './sweep-storage.ts';
