import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { builtinModules } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MusterStack } from '../../cdk/muster-stack.ts';
import { readSettings } from '../../cdk/settings.ts';
import { DEAD_QUEUE_ENV } from '../../shared/names/dead-letter-queues.ts';
import { ENDPOINT_ENV } from '../../shared/names/endpoints.ts';
import { ACCESS_ENV, ENV } from '../../shared/names/env.ts';
import { type BundledHandlers, bundledHandlers } from '../support/built/bundled-handlers.ts';
import { API_ID, CLUSTER, REGION, aToken } from '../token/a-token.ts';
import { ACCOUNT, OPS, fakeSts } from '../token/fake-sts.ts';
import { CALLER, getThroughGateway, postThroughGateway, pretendLambda } from '../support/lambda-stream.ts';

/** Lambda reads it at a cold start, and parses all of it. One `import { z } from 'zod'` is 350 KB more: only `import * as z` can be shaken. */
const BUNDLE_MAX_BYTES = 2_000_000;

const REPOSITORY = path.join(import.meta.dirname, '../..');

/** Of a source map: the files of a bundle, as seen from the repository. */
function sourcesIn(map: string): readonly string[] {
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] };
  return sources.map((source) => path.relative(REPOSITORY, path.resolve(path.dirname(map), source)));
}

const outdir = mkdtempSync(path.join(tmpdir(), 'muster-cdk-'));
let handlers: BundledHandlers;
let noLambda: () => void;

beforeAll(() => {
  process.env['CDK_VALIDATION'] = 'false';
  const app = new App({ outdir });
  const asked: Readonly<Record<string, string>> = { submissions: 'true', auth: 'token' };
  new MusterStack(app, 'Muster', { settings: readSettings((key) => asked[key]) });
  app.synth();
  handlers = bundledHandlers(outdir);
  noLambda = pretendLambda();
});

afterAll(() => {
  noLambda();
  vi.unstubAllEnvs();
  rmSync(outdir, { recursive: true, force: true });
});

function stubEnv(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

describe('the bundles', () => {
  test('export a handler each, and can be loaded before anything is known', async () => {
    const found = await Promise.all(
      Object.entries(handlers).map(async ([name, file]) => [name, typeof (await load(file))]),
    );
    expect(Object.fromEntries(found)).toEqual({
      api: 'function',
      reconcile: 'function',
      dispatch: 'function',
      sweep: 'function',
      submit: 'function',
      authorizer: 'function',
    });
  });

  test('hold no package whose licence is unknown, or forbids it', () => {
    const sources = Object.values(handlers).flatMap((file) => sourcesIn(`${file}.map`));
    const inputs = Object.fromEntries(sources.map((source) => [source, {}]));
    const [metafile, notices] = [path.join(outdir, 'meta.json'), path.join(outdir, 'notices.txt')];
    writeFileSync(metafile, JSON.stringify({ inputs }));
    const { stderr } = spawnSync('node', ['notices.mjs', metafile, notices], { cwd: REPOSITORY, encoding: 'utf8' });
    expect(stderr).toBe('');
    const text = readFileSync(notices, 'utf8');
    for (const name of ['zod', 'hono', '@middy/core', '@aws-sdk/client-dynamodb'])
      expect(text).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
  });

  test('answer a request behind the gateway with a stream', async ({ onTestFinished }) => {
    for (const name of [...Object.values(ENV), ...Object.values(DEAD_QUEUE_ENV)]) vi.stubEnv(name, '1');
    // Its first request makes sure that namespace default is there; this DynamoDB agrees to everything.
    const dynamo = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(dynamo, 'listening');
    onTestFinished(() => void dynamo.close());
    stubEnv({
      AWS_REGION: 'eu-west-1',
      [ENV.assignPublicIp]: 'ENABLED',
      [ENV.taskRoles]: '{}',
      [ENV.taskTokens]: 'ENABLED',
      [ENV.formats]: 'current',
      [ENV.hostsZone]: 'muster.internal',
      [ENDPOINT_ENV.dynamodb]: `http://127.0.0.1:${(dynamo.address() as AddressInfo).port}`,
    });
    const api = await load(handlers.api);
    const version = await getThroughGateway(api, '/version');
    expect(version).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(version.body)).toHaveProperty('muster');
    const printed: string[] = [];
    const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
    await postThroughGateway(api, '/apis/batch/v1/namespaces/default/jobs', {});
    out.mockRestore();
    const lines = printed.flatMap((text) => text.split('\n')).filter((line) => line.includes('"message":"audit"'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { values: { user: { username: CALLER.userArn, uid: CALLER.user, groups: ['system:authenticated'] } } },
    ]);
    const unknown = await getThroughGateway(api, '/nowhere');
    expect(unknown.statusCode).toBe(404);
    expect(JSON.parse(unknown.body)).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
  });

  test('say who sent a token, by what STS answers', async ({ onTestFinished }) => {
    const sts = fakeSts({ nowMs: () => Date.now() });
    const { fetch: fetched } = globalThis;
    onTestFinished(() => void Object.assign(globalThis, { fetch: fetched }));
    Object.assign(globalThis, { fetch: sts.send });
    stubEnv({
      AWS_REGION: REGION,
      [ACCESS_ENV.accounts]: ACCOUNT,
      [ACCESS_ENV.admins]: `arn:aws:iam::${ACCOUNT}:role/ops`,
      [ACCESS_ENV.tokenCluster]: CLUSTER,
    });
    const authorizer = (await load(handlers.authorizer!)) as (event: object, context: object) => Promise<object>;
    const ask = async (token: string) =>
      authorizer(
        {
          type: 'REQUEST',
          methodArn: `arn:aws:execute-api:${REGION}:${ACCOUNT}:${API_ID}/k8s/GET/api`,
          multiValueHeaders: { Authorization: [`Bearer ${token}`] },
        },
        {},
      );
    const nowMs = Date.now();
    expect(await ask(await aToken(OPS, { nowMs }))).toMatchObject({
      policyDocument: { Statement: [{ Resource: `arn:aws:execute-api:${REGION}:${ACCOUNT}:${API_ID}/k8s/*` }] },
      context: { groups: '["system:masters","system:authenticated"]' },
    });
    const forOthers = await aToken(OPS, { nowMs, clusterId: 'other' });
    await expect(ask(forOthers)).rejects.toThrow(/^Unauthorized$/);
    expect(sts.sent).toHaveLength(2);
  });

  test('need nothing beside themselves but node, and are small', async () => {
    for (const file of Object.values(handlers)) {
      const { metafile } = await build({
        entryPoints: [file],
        bundle: true,
        write: false,
        metafile: true,
        format: 'esm',
        platform: 'node',
        packages: 'external',
        outdir,
        logLevel: 'silent',
      });
      const [read] = Object.values(metafile.inputs);
      const needs = read!.imports.map(({ path: name }) => name.replace(/^node:/, ''));
      expect(needs.filter((name) => !builtinModules.includes(name))).toEqual([]);
      expect(read!.bytes).toBeLessThan(BUNDLE_MAX_BYTES);
    }
  });
});

async function load(file: string): Promise<unknown> {
  const module = (await import(/* @vite-ignore */ file)) as { readonly handler?: unknown };
  return module.handler;
}
