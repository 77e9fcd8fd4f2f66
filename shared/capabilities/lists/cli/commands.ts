import type { LineForm } from '../../../../cli/run-line/line-form.ts';
import type { RunForm } from '../../../../cli/shell/run-form.ts';
import { addDoctor } from '../../doctor/cli/index.ts';
import { RUN_JOB_CONFIG, addEnable } from '../../furiko/cli/index.ts';
import { addUi } from '../../page/cli/index.ts';
import { addPlan } from '../../plan/cli/index.ts';
import { SCHEDULED_LINE, addCron } from '../../schedules/cli/index.ts';
import { addExec } from '../../sessions/cli/index.ts';
import { addSimulate } from '../../simulate/cli/index.ts';

/** The commands of all capabilities, in the order of `muster --help`. A build without one lacks its folder and its lines here. */
export const CAPABILITY_COMMANDS = [addExec, addCron, addEnable, addPlan, addSimulate, addDoctor, addUi];

/** What `muster run NAME` may make a Job of, if the command line has neither an image nor a command. */
export const RUN_FORMS: readonly RunForm[] = [RUN_JOB_CONFIG];

/** What `muster run NAME … -- COMMAND` may create in place of a Job. */
export const LINE_FORMS: readonly LineForm[] = [SCHEDULED_LINE];
