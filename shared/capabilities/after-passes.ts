import type { AfterPass } from '../control/reconcile/after-pass.ts';
import { updateHosts } from './hostnames/control/index.ts';

/** What a pass does after its commit, as part of its work. */
export const AFTER_COMMITS: readonly AfterPass[] = [updateHosts];
