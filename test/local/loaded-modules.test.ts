import { expect, test } from 'vitest';
import { aMusterLocal, loadedBy } from './a-muster-local.ts';

const OF_AWS = /node_modules\/(@aws-sdk|@smithy|@aws-lambda-powertools|fauxqs)\//;
const FOR_HTTP = /\/local\/wire\/(aws-json|[a-z]+-wire)\.ts/;

test('`muster local` loads no client of AWS, no emulator of queues, and nothing that serves them', async () => {
  const local = await aMusterLocal();
  const loaded = local.loaded();
  expect(loaded.some((url) => url.endsWith('/local/wiring/in-process.ts'))).toBe(true);
  expect(loaded.filter((url) => OF_AWS.test(url) || FOR_HTTP.test(url))).toEqual([]);
  expect(await local.stop()).toContain('Stopped.');
});

test('with --emulate-aws it does', async () => {
  const local = await aMusterLocal('--emulate-aws');
  const loaded = local.loaded();
  for (const name of ['@aws-sdk/client-ecs', '@aws-sdk/client-sqs', 'fauxqs'])
    expect(loaded.some((url) => url.includes(`node_modules/${name}/`))).toBe(true);
  expect(loaded.some((url) => FOR_HTTP.test(url))).toBe(true);
  expect(await local.stop()).toContain('Stopped.');
});

test('help loads what it prints with, and nothing that talks to a server or reads files', () => {
  const loaded = loadedBy('--help');
  expect(loaded.some((url) => url.includes('/node_modules/commander/'))).toBe(true);
  expect(loaded.filter((url) => /node_modules\/(zod|yaml|lmdb|hono)\/|\/cli\/(client|commands)\//.test(url))).toEqual(
    [],
  );
});
