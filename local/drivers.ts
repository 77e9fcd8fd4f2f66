/** What runs the tasks of `muster local`. */
export const DRIVERS = ['process', 'docker', 'simulated'] as const;
export type DriverName = (typeof DRIVERS)[number];
