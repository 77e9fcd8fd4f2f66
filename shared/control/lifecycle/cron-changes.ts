import type { CronJobCommands } from '../../ports/cronjob-commands.ts';
import type { Deps } from '../process/deps.ts';
import { armCron } from './arm-cron.ts';
import { deleteOwner, finishOwner } from './owner-deletion.ts';

/** The commands of users, as the API sees them. */
export const createCronJobCommands = (deps: Deps): CronJobCommands => ({
  deleteCronJob: (seen, propagation) => deleteOwner('CronJob', seen, propagation, deps),
  finishCronJob: (terminating) => finishOwner('CronJob', terminating, deps),
  armCronJob: (uid, key) => armCron('CronJob', uid, key, deps),
  wakeCronJob: (uid) => deps.queues.wakeCrons([{ cron: uid, delaySec: 0 }]),
});
