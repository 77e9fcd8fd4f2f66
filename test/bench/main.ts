import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, unlinkSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Results, budgetOf, pricedJob } from './budget.ts';
import { idleMonth } from './prices.ts';
import { endChildren } from './processes.ts';
import { ratiosOf } from './ratios.ts';
import { type Machine, render } from './report.ts';
import { BENCH_WIRING, benchWiring } from './scenarios/bench-wiring.ts';
import { type Bundle, HERE, bundleFor, runChild } from './run-child.ts';
import { SUITES, type Suite } from './suites.ts';

const SIZES = [10, 100, 1_000, 10_000, 100_000];
const INDEXES_MAX = 1_000_000;
const names = SUITES.map(({ name }) => name);

/** `npm run bench`: what an index costs and how long things take, against the budget; docs/budget.md tells how to read it. */
const program = new Command('npm run bench --')
  .description('Measures what one index costs and how long things take, on this machine, against the budget.')
  .option('--json', 'figures for machines on standard output, instead of tables')
  .option('--only <names>', `some of ${names.join(',')}`, namesIn)
  .option('--indexes <sizes>', `sizes of the Jobs that are counted (default: ${SIZES.join(',')})`, sizesIn)
  .option('--vs <dir>', 'measure another checkout, too, by turns, and print ratios', checkoutIn)
  .option(
    '--in-process',
    'measure `muster local` as people run it: times, CPU and memory; units and calls are then not counted',
  )
  .addHelpText(
    'after',
    `
Examples:
  npm run bench
  npm run bench -- --indexes 10,1000 --only jobs

Exit codes: 0 measured, whatever the figures    1 it broke off    2 invalid command line    130 Ctrl-C`,
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(run);

type Options = {
  readonly json?: boolean;
  readonly only?: readonly Suite[];
  readonly indexes?: readonly number[];
  readonly vs?: string;
  readonly inProcess?: boolean;
};

async function run({ json, only = SUITES, indexes = SIZES, vs, inProcess }: Options): Promise<void> {
  if (inProcess === true) process.env[BENCH_WIRING] = 'inProcess'; // for the measuring processes
  const before = machineNow();
  const here = await bundleFor(HERE);
  const there = vs === undefined ? null : await otherCheckout(vs);
  const cleanUp = (): void => {
    here.remove();
    there?.remove();
  };
  process.once('SIGINT', () => {
    endChildren();
    cleanUp();
    process.exit(130);
  });
  try {
    const machine: Machine = { ...before, calibration: (await runChild(here, 'calibration', {})).figures };
    const wiring = benchWiring();
    let ours: Results = { wiring };
    let theirs: Results = { wiring };
    for (const suite of only) {
      process.stderr.write(`${suite.name}\n`);
      ours = { ...ours, ...(await suite.run(here, { indexes, largeIndexes: 100_000 })) };
      if (there === null) continue;
      process.stderr.write(`${suite.name}, the other checkout\n`);
      theirs = { ...theirs, ...(await measured(suite, there.bundle, indexes)) };
    }
    const ratios = there === null ? null : ratiosOf(budgetOf(ours), budgetOf(theirs));
    const cost = wiring === 'inProcess' ? null : (pricedJob(ours.jobs ?? [])?.lines ?? null);
    const all = { machine, results: ours, cost, idle: idleMonth(), budget: budgetOf(ours), other: theirs, ratios };
    process.stdout.write(`${json === true ? JSON.stringify(all, null, 2) : render(machine, ours, ratios)}\n`);
  } finally {
    cleanUp();
  }
}

/** A checkout of another time may lack what a suite needs: then it has no figures there. */
async function measured(suite: Suite, bundle: Bundle, indexes: readonly number[]): Promise<Results> {
  try {
    return await suite.run(bundle, { indexes, largeIndexes: 100_000 });
  } catch (error) {
    process.stderr.write(`  the other checkout has no ${suite.name}: ${String(error)}\n`);
    return {};
  }
}

/** Its packages are its own, or ours for as long as this lasts. */
async function otherCheckout(root: string): Promise<{ readonly bundle: Bundle; remove(): void }> {
  const packages = join(root, 'node_modules');
  const lent = !existsSync(packages);
  if (lent) symlinkSync(join(HERE, 'node_modules'), packages);
  const giveBack = (): void => {
    if (lent) unlinkSync(packages);
  };
  try {
    const bundle = await bundleFor(root);
    return {
      bundle,
      remove() {
        bundle.remove();
        giveBack();
      },
    };
  } catch (error) {
    giveBack();
    throw error;
  }
}

function machineNow(): Omit<Machine, 'calibration'> {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: HERE, encoding: 'utf8' }).trim();
  return {
    node: process.versions.node,
    cores: availableParallelism(),
    loadAtStart: loadavg()[0] ?? Number.NaN,
    engine:
      benchWiring() === 'inProcess' ? 'LMDB, queues and ECS in the same process' : 'dynoxide on a file, SQS in memory',
    commit,
  };
}

function checkoutIn(folder: string): string {
  const root = resolve(folder);
  if (existsSync(join(root, 'local/runtime.ts'))) return root;
  throw new InvalidArgumentError(`${root} is no checkout of Muster.`);
}

function namesIn(text: string): readonly Suite[] {
  return text.split(',').map((wanted) => {
    const suite = SUITES.find(({ name }) => name === wanted);
    if (suite === undefined) throw new InvalidArgumentError(`There is no ${wanted}; there are ${names.join(', ')}.`);
    return suite;
  });
}

function sizesIn(text: string): readonly number[] {
  return text.split(',').map((part) => {
    const size = Number(part);
    if (Number.isInteger(size) && size >= 1 && size <= INDEXES_MAX) return size;
    throw new InvalidArgumentError(`${part} is no number of indexes; 1 to ${INDEXES_MAX.toLocaleString('en')} are.`);
  });
}

await program.parseAsync();
