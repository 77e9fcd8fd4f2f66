import { SIMULATIONS } from '../../lists/cli/simulations.ts';

/** What may be simulated. */
export const SIMULATED_KINDS: readonly string[] = ['Job', ...SIMULATIONS.map(({ kind }) => kind)];

/** `a Job or a CronJob` */
export const A_SIMULATED = SIMULATED_KINDS.map((kind) => `a ${kind}`).join(' or ');
