export { closeHostsOf } from './hosts-closing.ts';
export { NAMES, namesOfChange } from './name-steps.ts';
export { TASK_NAMES } from './task-names.ts';
export { updateHosts } from './hosts-update.ts';
export { syncHosts } from './hosts.ts';
export { sweepHosts, sweepStrangeNames } from './hosts-sweep.ts';
