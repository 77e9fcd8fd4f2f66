import type { Deps } from '../../control/process/deps.ts';
import type { ClaimReader } from '../../ports/claim-reader.ts';
import { createClaimReader } from '../storage/control/index.ts';

/** What tells what claims of storage stand for; without one, there are no claims. */
export const CLAIM_READERS: readonly ((deps: Deps) => ClaimReader)[] = [createClaimReader];
