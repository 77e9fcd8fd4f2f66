import { inspect } from 'node:util';
import { CreateSecretRequest$, PutSecretValueRequest$ } from '@aws-sdk/client-secrets-manager';
import { PutParameterRequest$ } from '@aws-sdk/client-ssm';
import { AwsError } from '../../../../../local/wire/aws-error.ts';
import { serveAwsJson } from '../../../../../local/wire/aws-json.ts';
import { listenOnLoopback } from '../../../../../local/wire/loopback-server.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { secretTraces } from '../../../../../test/support/secret-traces.ts';
import {
  createSecretsManager,
  createSecretsManagerClient,
  sdkSecretsManagerCalls,
} from '../../adapters/aws-secrets.ts';
import { createSsmClient, parameterKey } from '../../adapters/parameter-key.ts';
import type { Sealer } from '../../ports/sealer.ts';

const VALUE = 'correct horse battery staple';
const find = secretTraces({ VALUE });
const SECRETS = '/api/v1/namespaces/default/secrets';

/**
 * What is left of a call that fails in a way nobody expected, with an error that holds what was asked: in its message, in a property,
 * as its cause, as errors of SDK clients may. Node and Lambda print all of an error that nobody catches.
 */
export async function huntCrashes(): Promise<readonly string[]> {
  const told = [...(await ofTheApi()), ...(await ofSecretsManager()), ...(await ofParameterStore())];
  return find(told.join('\n')).map((what) => `crash dumps: ${what}`);
}

/** An error as a program that dies of it prints it, with everything that it has. */
const dumped = (error: unknown): string =>
  error instanceof Error
    ? `${error.stack} ${inspect(error, { depth: Infinity, maxStringLength: null })} ${JSON.stringify(Object.entries(error))}`
    : inspect(error, { depth: Infinity, maxStringLength: null });

const holding = (bytes: Uint8Array): Error => {
  const text = Buffer.from(bytes).toString();
  return Object.assign(new Error(`cannot take ${text}`, { cause: new TypeError(text) }), { input: { text } });
};

async function ofTheApi(): Promise<readonly string[]> {
  const told: string[] = [];
  let dies = false;
  const sealer: Sealer = {
    seal: async (plain) => (dies ? Promise.reject(holding(plain)) : Promise.resolve(plain)),
    open: async (sealed) => (dies ? Promise.reject(holding(sealed)) : Promise.resolve(sealed)),
  };
  const world = await aWorld({}, { ports: { sealer } });
  const send = async (method: string, path: string, contents?: object): Promise<void> => {
    const body = contents === undefined ? null : JSON.stringify(contents);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await world.app.request(path, { method, headers: { 'content-type': type }, body });
    if (dies !== !answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    if (dies) told.push(await answer.text(), JSON.stringify([...answer.headers]));
  };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { a: VALUE } };
  await send('POST', SECRETS, secret);
  dies = true;
  for (const path of [`${SECRETS}/db`, SECRETS, '/api/v1/secrets']) await send('GET', path);
  await send('POST', SECRETS, { ...secret, metadata: { name: 'new' } });
  await send('PUT', `${SECRETS}/db`, secret);
  await send('PATCH', `${SECRETS}/db`, { stringData: { a: `${VALUE}!` } });
  return [...told, JSON.stringify(world.warnings)];
}

/** AWS's own words may repeat what was sent: "Value '…' at 'secretString' failed to satisfy constraint". */
const refusing = (
  target: string,
  operations: Readonly<Record<string, Parameters<typeof serveAwsJson>[0][number]['operations'][string]['request']>>,
) =>
  listenOnLoopback(
    serveAwsJson([
      {
        targetPrefix: target,
        jsonVersion: '1.1',
        operations: Object.fromEntries(
          Object.entries(operations).map(([name, request]) => [
            name,
            {
              request,
              response: request,
              handle: (input: unknown) => {
                const said = `1 validation error detected: Value '${JSON.stringify(input)}' failed to satisfy constraint`;
                throw new AwsError('ValidationException', said, { status: 400 });
              },
            },
          ]),
        ),
      },
    ]),
  );

async function ofSecretsManager(): Promise<readonly string[]> {
  const server = await refusing('secretsmanager', {
    CreateSecret: CreateSecretRequest$,
    PutSecretValue: PutSecretValueRequest$,
  });
  const client = createSecretsManagerClient({ region: 'us-east-1', endpoint: server.url });
  const copies = createSecretsManager(sdkSecretsManagerCalls(client), () => 0);
  const copy = {
    namespace: 'default',
    name: 'db',
    version: 'c0ffee00-0000-4000-8000-000000000000-1',
    values: new Map([['a', VALUE]]),
  };
  const told = await copies.put(copy).then(dumped, dumped);
  client.destroy();
  await server.close();
  return [told];
}

/** The key opens every Secret. */
async function ofParameterStore(): Promise<readonly string[]> {
  const server = await refusing('AmazonSSM', { PutParameter: PutParameterRequest$ });
  const client = createSsmClient({ region: 'us-east-1', endpoint: server.url });
  const told = await parameterKey(client, '/muster/secrets-key').make(VALUE).then(dumped, dumped);
  client.destroy();
  await server.close();
  return [told];
}
