// What does with a JobConfig what a command does with a CronJob.

export const RUN_INSTEAD = (name: string): string => `muster run ${name} makes a Job of it`;
export const DISABLE_INSTEAD = (name: string): string => `muster disable ${name} stops its schedule`;
export const ENABLE_INSTEAD = (name: string): string => `muster enable ${name} starts its schedule again`;
/** Of what its schedule has missed, five minutes are made up for. */
export const NO_BACKFILL = (name: string): string =>
  `its past slots are not run again; muster run ${name} makes one Job of it`;
