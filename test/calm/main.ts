import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Command, InvalidArgumentError } from 'commander';
import { allPids, statOf } from '../../local/process-table.ts';
import { Random } from '../dst/random.ts';

const program = new Command('npx tsx test/calm/main.ts')
  .description(
    `Runs the tests of the gate twice at once, with their files in a random order, and stops each of their processes now and then for
up to some seconds. A test that knows the clock, the load, a port, or a neighbor turns red here, not in the gate. Linux only.`,
  )
  .argument('[seed]', 'of the order and of the stops; default: another one each time', wholeNumber)
  .addHelpText(
    'after',
    `
Examples:
  npx tsx test/calm/main.ts
  npx tsx test/calm/main.ts 4711

Exit codes: 0 all tests passed    1 one did not    2 invalid command line`,
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();

const RUNS = 2;
const LOOK_MS = 50;
const OUR_VARIABLES = ['MUSTER_VERIFY', 'VITEST'];

const seed = (program.processedArgs[0] as number | undefined) ?? Date.now() % 100_000;
const random = new Random(seed);
const runMs = (): number => random.between(200, 4_000);
/** Mostly short, for a long one sees more but takes longer. */
const stopMs = (): number => 300 + random.next() * random.next() * 6_000;

function start(nth: number): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OUR_VARIABLES.includes(name)));
  const words = ['vitest', 'run', '--project', 'unit', '--project', 'integration'];
  // An order on the command line takes the place of a project's own group, so all have as many workers.
  const order = ['--sequence.shuffle.files', `--sequence.seed=${seed + nth}`, '--maxWorkers=3'];
  return spawn('npx', [...words, ...order, '--reporter=./test/support/folder-reporter.ts'], { stdio: 'inherit', env });
}

/** By pid, what happens to a process next, and when. */
type Next = { readonly does: 'SIGSTOP' | 'SIGCONT'; readonly atMs: number };

async function run(): Promise<void> {
  const children = Array.from({ length: RUNS }, (_, nth) => start(nth));
  const nexts = new Map<number, Next>();
  let stops = 0;
  const tick = (): void => {
    const nowMs = performance.now();
    for (const pid of familyOf(children.flatMap((child) => child.pid ?? []))) {
      const next = nexts.get(pid);
      if (next === undefined) nexts.set(pid, { does: 'SIGSTOP', atMs: nowMs + runMs() });
      else if (nowMs >= next.atMs) {
        send(pid, next.does);
        if (next.does === 'SIGSTOP') stops++;
        nexts.set(
          pid,
          next.does === 'SIGSTOP'
            ? { does: 'SIGCONT', atMs: nowMs + stopMs() }
            : { does: 'SIGSTOP', atMs: nowMs + runMs() },
        );
      }
    }
  };
  const ticking = setInterval(tick, LOOK_MS);
  try {
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number | null));
    if (codes.some((code) => code !== 0)) process.exitCode = 1;
    console.log(`seed ${seed}: stopped processes ${stops} times, exit codes ${codes.join(' and ')}`);
  } finally {
    clearInterval(ticking);
    for (const pid of nexts.keys()) send(pid, 'SIGCONT');
  }
}

/** Those below the processes named, with them. */
function familyOf(pids: readonly number[]): readonly number[] {
  const parents = new Map(allPids().map((pid) => [pid, statOf(pid)?.parent ?? 0]));
  const isOfFamily = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pids.includes(pid) || isOfFamily(parents.get(pid)));
  return [...parents.keys()].filter(isOfFamily);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
}

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number is wanted');
}

await run();
