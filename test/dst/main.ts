import { Command, InvalidArgumentError, Option } from 'commander';
import { Figures } from './figures.ts';
import { type Broken, Fleet } from './fleet.ts';
import { textOf } from './checks/law.ts';
import { tellSeed } from './seed-run.ts';
import { AS_IS, type Variation, faultsNamed, replayOf } from './variation.ts';
import type { Fault } from './world/fault-rates.ts';

type Options = {
  readonly seeds?: number;
  readonly from: number;
  readonly seed?: number;
  readonly hours?: number;
  readonly json: boolean;
  readonly all: boolean;
  readonly shrink: boolean;
  readonly without: readonly Fault[];
  readonly skip: readonly number[];
  readonly completions?: number;
  readonly parallelism?: number;
  readonly faultsSec?: number;
};

/** The stories of the first broken seeds say enough. */
const SHRUNK_MAX = 3;
const PROGRESS_MS = 10_000;

const whole = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is wanted');
  return value;
};
const some = (text: string): number => {
  const value = whole(text);
  if (value === 0) throw new InvalidArgumentError('one at least is wanted');
  return value;
};
const hours = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('a number above 0 is wanted');
  return value;
};
const faults = (text: string): readonly Fault[] => {
  try {
    return faultsNamed(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
};

const program = new Command('npm run dst --')
  .description('Runs the control code in seeded worlds full of faults, and checks the guarantees at every step.')
  .option('--seeds <n>', 'run so many seeds, in as many processes as there are cores', some)
  .option('--from <seed>', 'the first of them', whole, 0)
  .addOption(
    new Option('--seed <s>', 'run this one, exactly as always, and tell its story')
      .argParser(whole)
      .conflicts(['seeds', 'hours', 'from']),
  )
  .option('--hours <h>', 'run seeds that nobody has run, for so long', hours)
  .option('--json', 'figures as JSON', false)
  .option('--all', "of one seed: the whole story, not only the broken index's", false)
  .option('--no-shrink', 'with --seeds or --hours: look for no smaller run of a broken seed that breaks the same')
  .option('--without <faults>', 'kinds of fault that never strike: crash,conflict,event-late', faults, [])
  .option('--skip <numbers>', 'happenings that do not happen', (text) => text.split(',').map(whole), [])
  .option('--completions <n>', 'at most so many indexes', some)
  .option('--parallelism <n>', 'at most so much parallelism', some)
  .option('--faults-sec <s>', 'faults end this long after the start', whole)
  .addHelpText(
    'after',
    `
Examples:
  npm run dst -- --seeds 100
  npm run dst -- --seed 137

Exit codes:
  0 all held    1 a guarantee was broken, or a kind of fault never struck in 200 seeds or more
  2 invalid command line    130 Ctrl-C (the figures are those of the seeds that were run)`,
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();

const options = program.opts<Options>();
const variation: Variation = {
  ...AS_IS,
  without: options.without,
  skip: options.skip,
  completions: options.completions ?? null,
  parallelism: options.parallelism ?? null,
  faultsMs: options.faultsSec === undefined ? null : options.faultsSec * 1000,
};
if (options.seed !== undefined) await one(options.seed);
else if (options.seeds !== undefined || options.hours !== undefined) await many();
else program.error('error: one of --seeds, --seed and --hours is wanted; --help tells more');

async function one(seed: number): Promise<void> {
  const { result, story } = await tellSeed(seed, variation);
  const [violation] = result.violations;
  const lines = violation === undefined || options.all ? story.all() : story.of(violation);
  if (options.json) print(JSON.stringify({ ...result, ...mapsOf(result), story: lines }));
  else {
    print(lines.join('\n'));
    const end = violation === undefined ? `no guarantee is broken: ${result.verdict}` : `BROKEN ${textOf(violation)}`;
    print(`seed ${seed}, ${result.steps} steps: ${end}`);
  }
  process.exitCode = violation === undefined ? 0 : 1;
}

async function many(): Promise<void> {
  const figures = new Figures();
  const startedMs = performance.now();
  const untilMs = options.hours === undefined ? Infinity : startedMs + options.hours * 3_600_000;
  // A run of hours wants seeds that no other run has had.
  const from =
    options.hours !== undefined && options.from === 0 ? 1_000_000 + (Date.now() % 1_000_000_000) : options.from;
  const last = options.seeds === undefined ? Infinity : from + options.seeds;
  let seed = from;
  let isInterrupted = false;
  const fleet = new Fleet({
    next: () => {
      if (seed >= last || performance.now() >= untilMs) return null;
      return { seed: seed++, variation, shrinks: options.shrink && figures.broken.length < SHRUNK_MAX };
    },
    done: ({ result, broken }) => {
      figures.add(result);
      if (broken !== null) report(broken);
    },
    lost: (task, why) =>
      report({
        seed: task.seed,
        broken: [`G8: ${why}`],
        shrunk: `G8: ${why}`,
        runs: 0,
        replay: replayOf(task.seed, task.variation),
        story: [],
      }),
  });
  const report = (broken: Broken): void => {
    figures.broken.push(broken);
    if (!options.json) print(brokenText(broken, figures.broken.length <= SHRUNK_MAX));
  };
  process.once('SIGINT', () => {
    isInterrupted = true;
    fleet.stop();
  });
  const progress = setInterval(() => {
    const left = options.seeds === undefined ? '' : ` of ${options.seeds}`;
    const secs = ((performance.now() - startedMs) / 1000).toFixed(0);
    process.stderr.write(`${secs} s: ${figures.seeds}${left} seeds, ${figures.broken.length} broken\n`);
  }, PROGRESS_MS);
  await fleet.run();
  clearInterval(progress);

  const seconds = Number(((performance.now() - startedMs) / 1000).toFixed(1));
  if (options.json) print(JSON.stringify({ from, ...figures.json(), seconds }));
  else {
    print(figures.text());
    for (const name of figures.missing()) print(`never met in ${figures.seeds} seeds: ${name}`);
    print(`${figures.seeds} seeds from ${from}, ${figures.broken.length} broken, ${figures.steps} steps, ${seconds} s`);
    const broken = figures.broken.map((each) => each.seed).toSorted((a, b) => a - b);
    if (broken.length > 0) print(`broken seeds: ${broken.join(' ')}`);
  }
  process.exitCode = isInterrupted ? 130 : figures.isGood ? 0 : 1;
}

function brokenText({ seed, broken, shrunk, runs, replay, story }: Broken, withStory: boolean): string {
  const head = `seed ${seed} is broken: ${broken[0] ?? ''}`;
  if (!withStory) return `${head}\n  ${runs === 0 ? 'again' : 'the smallest run of it'}: ${replay}`;
  if (runs === 0) return [head, ...story, `BROKEN ${shrunk}`, `again: ${replay}`, ''].join('\n');
  const smaller = `after ${runs} tries with less, this is the smallest run that breaks the same guarantee:`;
  return [head, smaller, ...story, `BROKEN in the smallest run: ${shrunk}`, `again: ${replay}`, ''].join('\n');
}

function mapsOf(result: object): object {
  const maps = Object.entries(result).filter(
    (entry): entry is [string, Map<string, number>] => entry[1] instanceof Map,
  );
  return Object.fromEntries(maps.map(([name, counts]) => [name, Object.fromEntries(counts)]));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
