export { addEnable } from './enable-commands.ts';
export { RUN_JOB_CONFIG } from './run-options.ts';
