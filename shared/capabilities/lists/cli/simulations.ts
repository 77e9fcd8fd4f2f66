import type { SimulatedKind } from '../../../../cli/shell/simulated-kind.ts';
import { SIMULATED_CRON_JOB } from '../../schedules/cli/index.ts';

/** What `muster simulate` takes beside Jobs. */
export const SIMULATIONS: readonly SimulatedKind[] = [SIMULATED_CRON_JOB];
