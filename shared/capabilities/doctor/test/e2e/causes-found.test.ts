import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import { type FAILING, aUserOf } from '../../../../../test/e2e/diagnosis/failing-jobs.ts';
import { PATIENCE_MS, TEST_MS } from '../../../../../test/e2e/kube-calls.ts';
import { TEST_WIRING } from '../../../../../test/support/test-wiring.ts';

// Three ways in which a Job fails, with real processes: its cause is in the first screen of `muster doctor`.

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const LATE = 'DeadlineExceeded: Job was active longer than specified deadline';

test.each<[keyof typeof FAILING, readonly string[]]>([
  ['missing', ['StartError: no-such-python: command not found; looked in PATH ']],
  ['trace', ['exit code 1', 'KeyError: 7']],
  ['late', [LATE, 'activeDeadlineSeconds']],
])('the Job %s', { timeout: TEST_MS }, async (name, causes) => {
  const { fail, muster } = aUserOf(local);
  await fail(name);
  const { code, screen } = await muster(`doctor ${name}`);
  expect(code).toBe(1);
  for (const cause of causes) expect(screen).toContain(cause);
});

// Elsewhere a DynamoDB holds Jobs.
test.runIf(TEST_WIRING === 'inProcess')('what the data folder takes', async () => {
  const { screen } = await aUserOf(local).muster('doctor');
  expect(screen).toMatch(
    /\n\ndata folder .+: .+ MB: Jobs .+ in use\), logs .+, records of tasks .+\n3 Jobs, the oldest: default\//,
  );
});
