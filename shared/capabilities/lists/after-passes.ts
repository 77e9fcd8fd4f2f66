import type { AfterPass } from '../../control/reconcile/after-pass.ts';
import { announceChanges } from '../announcements/control/index.ts';
import { updateHosts } from '../hostnames/control/index.ts';

/** What a pass does after its commit, as part of its work. */
export const AFTER_COMMITS: readonly AfterPass[] = [updateHosts];

/** What it does when all else is done, and nobody waits for. */
export const AFTER_PASSES: readonly AfterPass[] = [announceChanges];
