import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { record } from './describe-engine.ts';
import { LAMBDA_NODE, installed } from './installed.ts';

// The tests of what would be deployed, once more under the Node that Lambda runs it with.

const FILES = [
  'test/cdk/bundle.test.ts',
  'test/e2e/bundles/bundled.test.ts',
  'test/e2e/bundles/bundled-files.test.ts',
  'test/e2e/bundles/submissions.test.ts',
  'test/runtime',
];
const ROOT = resolve(import.meta.dirname, '../..');

type Report = {
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

test.runIf(installed('node24'))('the handlers and their bundles pass their tests under Node 24', async () => {
  expect(execFileSync(LAMBDA_NODE, ['--version'], { encoding: 'utf8' })).toMatch(/^v24\./);
  const folder = mkdtempSync(join(tmpdir(), 'muster-node24-'));
  const file = join(folder, 'report.json');
  try {
    const said = await run(LAMBDA_NODE, [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...['unit', 'integration', 'e2e', 'long'].flatMap((project) => ['--project', project]),
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...FILES,
    ]);
    if (!existsSync(file)) throw new Error(`no tests ran: ${said.stderr}`);
    const { numPendingTests, testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    for (const { fullName, status } of results)
      record('handlers', 'node24', fullName, status === 'passed' ? 'passed' : 'failed');
    const failed = results.filter(({ status }) => status !== 'passed');
    expect([failed, numPendingTests, said.exitCode]).toEqual([[], 0, 0]);
    expect(results.length).toBeGreaterThan(20);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Runs a program in the repository's folder, without what this test runner has put into its own environment. */
async function run(
  program: string,
  args: readonly string[],
): Promise<{ readonly exitCode: number | null; readonly stderr: string }> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_)/.test(name)));
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  process.off('exit', killAtExit);
  return { exitCode, stderr };
}
