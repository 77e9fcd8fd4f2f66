import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from '../kube-calls.ts';
import { logSession, restartSession } from './log-session.ts';

describe('the log of a process', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime();
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  test('is what it has printed, as much of it as is asked for, for all who follow it', async ({ expect }) => {
    expect(await logSession({ ...local, expect, image: 'busybox' })).toMatch(/^prints-/);
  });

  test('is that of its last start, and of the one before where that is asked for', async ({ expect }) => {
    expect(await restartSession({ ...local, expect, image: 'busybox' })).toMatch(/^again-/);
  });
});
