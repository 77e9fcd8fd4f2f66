import { addPlan } from './plan/cli/index.ts';
import { addSimulate } from './simulate/cli/index.ts';

/** The commands of all capabilities, in the order of `muster --help`. A build without one lacks its folder and its lines here. */
export const CAPABILITY_COMMANDS = [addPlan, addSimulate];
