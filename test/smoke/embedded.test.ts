import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { ALL_QUESTIONS } from './all-questions.ts';

const MAIN = join(import.meta.dirname, 'main.ts');
const TEST_MS = 1_800_000;
const Rows = z.array(z.object({ name: z.string(), as: z.string(), seen: z.string() }));

/** The command as npm starts it. */
function start(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    env: { ...process.env, MUSTER_SERVER: undefined },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, out: text(child.stdout), err: text(child.stderr), code };
}

test('all is as assumed of the embedded AWS, behind a gateway that checks signatures', {
  timeout: TEST_MS,
}, async () => {
  const { out, err, code } = start('--against-embedded', '--json');
  const rows = Rows.parse(JSON.parse(await out));
  expect(rows.filter(({ as }) => as !== 'assumed')).toEqual([]);
  expect(rows.map(({ name }) => name)).toEqual(ALL_QUESTIONS.map(({ name }) => name));
  expect(await err).toContain('Removing namespace muster-smoke-');
  expect(await code).toBe(0);
});

test('Ctrl-C removes what was made and ends with 130', { timeout: TEST_MS }, async () => {
  const { child, out, err, code } = start('--against-embedded', '--only', 'idle-watch');
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => {
    if (said.includes('questions in namespace')) return;
    said += bytes.toString('utf8');
    if (said.includes('questions in namespace')) child.kill('SIGINT');
  });
  expect(await code).toBe(130);
  expect(await err).toContain('Removing namespace muster-smoke-');
  expect(await out).toContain('0 as assumed, 0 not as assumed, 1 not asked');
});

test.each([
  ['--only nothing', ['--only', 'nothing'], 'no question nothing'],
  ['no server', [], 'set --server to the output ApiUrl'],
  ['both', ['--server', 'https://x.example.org', '--against-embedded'], 'exclude each other'],
  ['an option that is none', ['--fast'], "unknown option '--fast'"],
])('an invalid command line: %s', async (_, args, said) => {
  const { err, code } = start(...args);
  expect(await err).toContain(said);
  expect(await code).toBe(2);
});
