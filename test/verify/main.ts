import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { runStage } from './run-stage.ts';
import { GATE, type Stage, VERIFY } from './stages.ts';
import { type Summary, SummarySchema, resumed, tableOf } from './summary.ts';

/** `npm run verify`: its stages one after the other, and a summary that the next run completes. `--gate`: what `.ci/run` runs. */
type Options = {
  readonly gate: boolean;
  readonly from?: string;
  readonly only?: readonly string[];
  readonly list: boolean;
};

const ROOT = resolve(import.meta.dirname, '../..');
/** They only end what hangs. */
const GATE_LIMIT_SEC = 1_500;
const VERIFY_LIMIT_SEC = 5_400;

const names = VERIFY.map(({ name }) => name);
const program = new Command('npm run verify --')
  .description('Runs everything that the gate (.ci/run) does not, in stages.')
  .addOption(
    new Option('--from <stage>', 'go on at this stage; what ran before on this commit still counts').choices(names),
  )
  .addOption(new Option('--only <stages...>', 'run these stages').choices(names).conflicts('from'))
  .option('--list', 'print the stages, and run none', false)
  .addOption(new Option('--gate', "run the gate's stages instead").default(false).hideHelp())
  .addHelpText(
    'after',
    `
Stages:
${VERIFY.map(({ name, shows }) => `  ${name.padEnd(10)} ${shows}`).join('\n')}

Examples:
  npm run verify
  npm run verify -- --from crashes
  npm run verify -- --only kubectl clients

.muster/verify has a log of each stage, and summary.json: commit, stages, counts, seconds.
Exit codes: 0 all stages that ran passed    1 one did not    2 the command line is wrong    130 Ctrl-C`,
  )
  .exitOverride()
  .action(run);

async function run({ gate, from, only, list }: Options): Promise<void> {
  const all = gate ? GATE : VERIFY;
  if (list) {
    for (const { name, shows } of all) console.log(`${name.padEnd(10)} ${shows}`);
    return;
  }
  const first = from === undefined ? 0 : all.findIndex(({ name }) => name === from);
  const stages = only === undefined ? all.slice(first) : all.filter(({ name }) => only.includes(name));
  const folder = join(ROOT, '.muster', gate ? 'gate' : 'verify');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'summary.json');
  const over = new AbortController();
  process.once('SIGINT', () => over.abort()).once('SIGTERM', () => over.abort());

  const summary = await runAll(stages, { folder, file, isGate: gate, signal: over.signal });
  console.log(
    tableOf(
      summary,
      all.map(({ name }) => name),
    ),
  );
  if (!gate) console.log(`summary: ${file}`);
  if (over.signal.aborted) process.exitCode = 130;
  else if (summary.stages.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
}

type Run = { readonly folder: string; readonly file: string; readonly isGate: boolean; readonly signal: AbortSignal };

async function runAll(stages: readonly Stage[], { folder, file, isGate, signal }: Run): Promise<Summary> {
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
  const now = {
    commit: git('rev-parse', '--short=10', 'HEAD'),
    isDirty: git('status', '--porcelain') !== '',
    startedAt: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
  };
  let summary = resumed(
    existsSync(file) ? (SummarySchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null) : null,
    now,
    stages.map(({ name }) => name),
  );
  const env = isGate ? {} : { MUSTER_VERIFY: 'true' };
  const limitSec = isGate ? GATE_LIMIT_SEC : VERIFY_LIMIT_SEC;
  for (const stage of stages) {
    console.log(`\n=== ${stage.name}: ${stage.shows}`);
    const result = await runStage(stage, { folder, env, limitSec, signal });
    if (signal.aborted) break;
    console.log(`=== ${stage.name} ${result.outcome} after ${result.sec} s`);
    summary = { ...summary, stages: [...summary.stages, result] };
    writeFileSync(file, `${JSON.stringify(summary, null, 2)}\n`);
  }
  return summary;
}

await program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof Error && 'exitCode' in error)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
});
