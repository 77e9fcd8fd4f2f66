import type { PeriodicCheck } from '../../runtime/registered.ts';
import { doctorCheck } from '../doctor/control/index.ts';

/** What capabilities look at on the sweep's schedule. A build without one lacks its folder and its lines here. */
export const CAPABILITY_CHECKS: readonly PeriodicCheck[] = [doctorCheck];
