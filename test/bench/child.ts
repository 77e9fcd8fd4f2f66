import { endChildren } from './processes.ts';

/** What a process of its own can measure, by name; it loads no more than that. */
const SCENARIOS = {
  access: async () => (await import('./scenarios/access.ts')).access,
  beside: async () => (await import('./scenarios/beside.ts')).beside,
  calibration: async () => (await import('./scenarios/calibration.ts')).calibration,
  chains: async () => (await import('./scenarios/chains.ts')).chains,
  crons: async () => (await import('./scenarios/crons.ts')).crons,
  dispatcher: async () => (await import('./scenarios/limiter.ts')).dispatcher,
  jobs: async () => (await import('./scenarios/jobs.ts')).jobs,
  kepLoad: async () => (await import('./scenarios/kep-load.ts')).kepLoad,
  lag: async () => (await import('./scenarios/lag.ts')).lag,
  planner: async () => (await import('./scenarios/planner.ts')).planner,
  start: async () => (await import('./scenarios/start.ts')).start,
  watchers: async () => (await import('./scenarios/watchers.ts')).watchers,
  watches: async () => (await import('./scenarios/watches.ts')).watches,
};
export type Scenarios = { readonly [N in keyof typeof SCENARIOS]: Awaited<ReturnType<(typeof SCENARIOS)[N]>> };

/** A bench that is broken off leaves no engine behind. */
const breakOff = (): void => {
  endChildren();
  process.exit(1);
};
process.once('SIGTERM', breakOff);
process.once('SIGINT', breakOff); // a terminal's Ctrl-C reaches all
process.once('disconnect', breakOff);

/** Runs the scenario that its arguments name, with options as JSON, and tells its parent the figures. */
const [name = '', options = '{}'] = process.argv.slice(2);
const load = Object.entries(SCENARIOS).find(([known]) => known === name)?.[1];
if (load === undefined) throw new Error(`no scenario ${name}`);
const run: (options: never) => unknown = await load();
const figures = await run(JSON.parse(options) as never);
process.send?.(figures, () => process.exit(0));
