import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NoCredentials, createSigner } from '../../shared/adapters/aws/sigv4.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const REQUEST = {
  method: 'GET',
  host: 'a1b2c3.execute-api.eu-west-1.amazonaws.com',
  path: '/k8s/version',
  query: [],
  headers: {},
  body: new Uint8Array(),
};

/** An environment in which the SDK finds nothing but what is put into the configuration file. */
function anEnvironment(config: string) {
  const dir = mkdtempSync(join(tmpdir(), 'muster-sigv4-'));
  writeFileSync(join(dir, 'config'), config);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'])
    vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', undefined);
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', undefined);
  vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', join(dir, 'config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(dir, 'credentials'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    file: (name: string) => join(dir, name),
    write: (name: string, content: string) => writeFileSync(join(dir, name), content),
    signer: createSigner({ region: 'eu-west-1', service: 'execute-api', now: () => NOW }),
  };
}

const keyIn = (headers: Readonly<Record<string, string>>): string =>
  /Credential=([^/]+)/.exec(headers['authorization'] ?? '')?.[1] ?? '';

/** A profile whose program counts how often it was asked, and names its keys by that. */
function counting(secondsLeft: number) {
  const place = anEnvironment('');
  place.write(
    'find.mjs',
    `import { appendFileSync, readFileSync } from 'node:fs';
     appendFileSync(${JSON.stringify(place.file('asked'))}, '.');
     const n = readFileSync(${JSON.stringify(place.file('asked'))}).length;
     const Expiration = new Date(Date.now() + ${secondsLeft * 1000}).toISOString();
     console.log(JSON.stringify({ Version: 1, AccessKeyId: 'KEY' + n, SecretAccessKey: 's', Expiration }));`,
  );
  place.write('config', `[default]\ncredential_process = ${process.execPath} ${place.file('find.mjs')}\n`);
  return { ...place, asked: () => readFileSync(place.file('asked'), 'utf8').length };
}

describe('credentials', () => {
  test('are remembered for as long as they last', async () => {
    const { signer, asked } = counting(3600);
    expect(keyIn(await signer.sign(REQUEST))).toBe('KEY1');
    expect(keyIn(await signer.sign(REQUEST))).toBe('KEY1');
    expect(asked()).toBe(1);
  });

  test('are read again when they were refused', async () => {
    const { signer } = counting(3600);
    await signer.sign(REQUEST);
    signer.forget();
    expect(keyIn(await signer.sign(REQUEST))).toBe('KEY2');
  });

  test('that do not exist yet: NoCredentials, until the user logs in', async () => {
    const { signer, write } = anEnvironment('');
    await expect(signer.sign(REQUEST)).rejects.toThrow(NoCredentials);
    write('credentials', '[default]\naws_access_key_id = LATE\naws_secret_access_key = s\n');
    expect(keyIn(await signer.sign(REQUEST))).toBe('LATE');
    write('credentials', '[default]\naws_access_key_id = LATER\naws_secret_access_key = s\n');
    signer.forget();
    expect(keyIn(await signer.sign(REQUEST))).toBe('LATER');
  });

  // The last one: it leaves a search of the SDK's behind.
  test('are read again before they expire', async () => {
    const { signer } = counting(60); // in their last minutes new ones are fetched beside the requests
    expect(keyIn(await signer.sign(REQUEST))).toBe('KEY1');
    await expect.poll(async () => keyIn(await signer.sign(REQUEST))).not.toBe('KEY1');
  });
});

test('one request, one moment, one signature', async () => {
  const signer = createSigner({
    region: 'eu-west-1',
    service: 'execute-api',
    now: () => NOW,
    findCredentials: () => async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 't' }),
  });
  const headers = await signer.sign({ ...REQUEST, headers: { 'content-type': 'application/json' } });
  expect(headers).toMatchObject({
    host: REQUEST.host,
    'x-amz-date': '20260301T120000Z',
    'x-amz-security-token': 't',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  });
  expect(headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260301\/eu-west-1\/execute-api\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
});
