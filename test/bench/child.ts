import { beside } from './scenarios/beside.ts';
import { calibration } from './scenarios/calibration.ts';
import { jobs } from './scenarios/jobs.ts';
import { kepLoad } from './scenarios/kep-load.ts';
import { lag } from './scenarios/lag.ts';
import { dispatcher } from './scenarios/limiter.ts';
import { planner } from './scenarios/planner.ts';
import { start } from './scenarios/start.ts';
import { watchers } from './scenarios/watchers.ts';
import { watches } from './scenarios/watches.ts';
import { endChildren } from './processes.ts';

/** What a process of its own can measure, by name. */
const SCENARIOS = { beside, calibration, dispatcher, jobs, kepLoad, lag, planner, start, watchers, watches };
export type Scenarios = typeof SCENARIOS;

/** Whoever breaks off leaves no engine behind. */
const breakOff = (): void => {
  endChildren();
  process.exit(1);
};
process.once('SIGTERM', breakOff);
process.once('SIGINT', breakOff); // a terminal's Ctrl-C reaches all
process.once('disconnect', breakOff);

/** Runs the scenario that its arguments name, with options as JSON, and tells its parent the figures. */
const [name = '', options = '{}'] = process.argv.slice(2);
const scenario = Object.entries(SCENARIOS).find(([known]) => known === name)?.[1];
if (scenario === undefined) throw new Error(`no scenario ${name}`);
const run: (options: never) => unknown = scenario;
const figures = await run(JSON.parse(options) as never);
process.send?.(figures, () => process.exit(0));
