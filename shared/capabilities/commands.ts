import type { RunForm } from '../../cli/shell/run-form.ts';
import { addDoctor } from './doctor/cli/index.ts';
import { RUN_JOB_CONFIG, addEnable } from './furiko/cli/index.ts';
import { addPlan } from './plan/cli/index.ts';
import { addSimulate } from './simulate/cli/index.ts';

/** The commands of all capabilities, in the order of `muster --help`. A build without one lacks its folder and its lines here. */
export const CAPABILITY_COMMANDS = [addEnable, addPlan, addSimulate, addDoctor];

/** What `muster run NAME` may make a Job of, if the command line has neither an image nor a command. */
export const RUN_FORMS: readonly RunForm[] = [RUN_JOB_CONFIG];
