import type { Deps } from '../../control/process/deps.ts';
import { sweepCopies } from '../configs/control/index.ts';
import { sweepHosts, sweepStrangeNames } from '../hostnames/control/index.ts';
import { sweepQuotas } from '../quotas/control/index.ts';
import { sweepStorage } from '../storage/control/index.ts';
import { sweepContents } from '../worklists/control/index.ts';

/** What capabilities do every minute. Each ends by itself after some seconds, and goes on a minute later. */
export const CAPABILITY_SWEEPS: readonly ((deps: Deps) => Promise<unknown>)[] = [sweepHosts, sweepQuotas, sweepStorage];

/** What capabilities do every hour. */
export const HOURLY_SWEEPS: readonly ((deps: Deps) => Promise<unknown>)[] = [
  sweepStrangeNames,
  sweepContents,
  sweepCopies,
];
