import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROLE, type TlsApi, aTlsApi } from '../token/a-tls-api.ts';
import { GO_SESSION, installed } from './installed.ts';

// The library of controllers: typed clients, which send protobuf, and an informer, which lists and then watches. It runs `muster
// token`, and no proxy is between it and the API.

const run = promisify(execFile);

describe.runIf(installed('client-go'))('client-go', () => {
  let api: TlsApi;
  beforeAll(async () => {
    api = await aTlsApi();
  });
  afterAll(() => api?.stop());

  test('creates, sees, changes, and deletes a Job, with the token of its plugin', async () => {
    const { stdout } = await run(GO_SESSION, [api.kubeconfig], { env: api.env });
    expect(stdout.trim().split('\n')).toEqual([
      'not found',
      'created from-go 1',
      'added 1',
      'updated 3',
      'conflict',
      'deleted 3',
    ]);
    expect(api.everybodySeen()).toEqual([ROLE]);
  });

  test('is refused with other credentials', async () => {
    const env = { ...api.env, AWS_SECRET_ACCESS_KEY: 'guessed' };
    await expect(run(GO_SESSION, [api.kubeconfig], { env })).rejects.toThrow(/not found, expected: Unauthorized/);
  });
});
