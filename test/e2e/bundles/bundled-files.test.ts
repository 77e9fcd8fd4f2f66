import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { contextOf } from '../../../local/event-source/mapping.ts';
import { serveAwsJson } from '../../../local/wire/aws-json.ts';
import { listenOnLoopback } from '../../../local/wire/loopback-server.ts';
import { base64 } from '../../../shared/capabilities/configs/test/schema/a-secret.ts';
import { claim, volume } from '../../../shared/capabilities/storage/test/storage-documents.ts';
import { musterTemplate } from '../../cdk/template.ts';
import { parameterStore } from '../../fakes/parameter-store.ts';
import { secretsManager } from '../../fakes/secret-versions.ts';
import { HAS_MODELS } from '../../models/service-model.ts';
import { askThroughGateway, pretendLambda } from '../../support/lambda-stream.ts';
import { secretTraces } from '../../support/secret-traces.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { JOBS, PATIENCE_MS, TEST_MS, eventually } from '../kube-calls.ts';
import { canLook } from '../processes-left.ts';
import { bundledInto } from './from-bundles.ts';
import { type DeployedFunctions, functionsOfTemplate } from './functions-of-template.ts';
import type { Sent } from './watched-front.ts';

// What would be deployed launches Pods with ConfigMaps, Secrets, files, and file systems: each function with its own variables and
// rights, and every request held against AWS's models. Nothing runs in the tasks: what ECS gets is looked at.
if (!canLook) console.warn('SKIPPED: the bundled handlers need the DynamoDB engine, which this machine has not');
if (!HAS_MODELS) console.warn('NOT TESTED: what AWS’s service models say, since .ci/install-engines has not run');

const CONTEXT = { submissions: 'true', ebs: 'true', efs: 'fs-0123456789abcdef0@sg-0123456789abcdef0' };
const OBJECTS = '/api/v1/namespaces/default';

const PASSWORD = 'correct horse "battery" staple';
const NEXT_PASSWORD = 'tr0ub4dor & 3 others';
const KEY = '-----BEGIN KEY-----\nnobody ought to read this line\n-----END KEY-----\n';
const BYTES = Uint8Array.from({ length: 24 }, (_, at) => 255 - at);
const find = secretTraces({ PASSWORD, NEXT_PASSWORD, KEY, BYTES });

const sent: Sent[] = [];
const faults: string[] = [];
const printed: string[] = [];
const parameters = parameterStore();
const secrets = secretsManager();
const cdkOut = mkdtempSync(join(tmpdir(), 'muster-cdk-'));
let local: ALocalRuntime;
let functions: DeployedFunctions;
let closeServices: () => Promise<void> = async () => Promise.resolve();

beforeAll(async () => {
  if (!canLook) return;
  const bundles = bundledInto(cdkOut, CONTEXT);
  const template = musterTemplate(CONTEXT);
  const services = await listenOnLoopback(serveAwsJson([parameters.service, secrets.service]));
  closeServices = async () => services.close();
  pretendLambda();
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((piece) => printed.push(String(piece)) > 0);
  local = await aLocalRuntime({
    wiring: 'emulateAws',
    driver: 'simulated',
    handlers: async (_own, place) => {
      const { store, endpoints } = place!;
      if (store.kind !== 'dynamodb') throw new Error('the bundles cannot share a store in memory');
      functions = await functionsOfTemplate({
        bundles,
        template,
        place: place!,
        services: new Map([
          ['DynamoDB_20120810', store.endpoint!],
          ['AmazonSQS', endpoints.sqs!],
          ['AmazonEC2ContainerServiceV20141113', endpoints.ecs!],
          ['Logs_20140328', endpoints.logs!],
          ['AmazonSSM', services.url],
          ['secretsmanager', services.url],
        ]),
        onSent: (each) => sent.push(each),
        onFault: (fault) => faults.push(fault),
      });
      return functions.handlers;
    },
  });
}, PATIENCE_MS);
afterAll(async () => {
  await local?.close();
  await functions?.close();
  await closeServices();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(cdkOut, { recursive: true, force: true });
});

const ask = async (method: string, path: string, document: object | null = null): Promise<string> => {
  const { statusCode, body } = await askThroughGateway(functions.api, method, path, document);
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${body}`);
  return body;
};

type Ended = { readonly status: { readonly succeeded?: number; readonly failed?: number } };
const ended = async (name: string, succeeded: number): Promise<void> => {
  let seen = '';
  const job = await eventually(
    async () => {
      expect(faults).toEqual([]);
      seen = await ask('GET', `${JOBS}/${name}`);
      return seen.includes('"completionTime"') || seen.includes('"type":"Failed"') ? (JSON.parse(seen) as Ended) : null;
    },
    () => `Job ${name} is ${seen}`,
  );
  expect([job.status.succeeded, job.status.failed ?? 0]).toEqual([succeeded, 0]);
};

const job = (name: string, completions: number, spec: object, container: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    completionMode: 'Indexed',
    completions,
    parallelism: completions,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'true'], ...container }],
        ...spec,
      },
    },
  },
});

const secret = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'db',
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data: { password: base64(password) } }),
    },
  },
  data: { bytes: Buffer.from(BYTES).toString('base64') },
  stringData: { password, 'tls.key': KEY },
});

const ITEMS = Array.from({ length: 2_000 }, (_, at) => `s3://bucket/photos/${at}.jpg\n`).join('');
const config = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

const INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']";

/** The index in a file (KEP-2214), a list as a file, and both kinds of objects as files and as variables. */
const FILES = job(
  'files',
  3,
  {
    volumes: [
      { name: 'info', downwardAPI: { items: [{ path: 'index', fieldRef: { fieldPath: INDEX } }] } },
      { name: 'list', configMap: { name: 'list', items: [{ key: 'items', path: 'items.txt', mode: 0o440 }] } },
      { name: 'keys', secret: { secretName: 'db', defaultMode: 0o400 } },
      {
        name: 'all',
        projected: {
          defaultMode: 0o444,
          sources: [
            { configMap: { name: 'app', items: [{ key: 'settings.toml', path: 'conf/settings.toml' }] } },
            { secret: { name: 'db', items: [{ key: 'password', path: 'conf/password', mode: 0o400 }] } },
            { secret: { name: 'none', optional: true, items: [{ key: 'a', path: 'conf/a' }] } },
          ],
        },
      },
    ],
  },
  {
    env: [
      { name: 'GREETING', valueFrom: { configMapKeyRef: { name: 'app', key: 'greeting' } } },
      { name: 'LINE', value: '$(GREETING), world' },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
    ],
    envFrom: [
      { prefix: 'DB_', secretRef: { name: 'db' } },
      { prefix: 'APP_', configMapRef: { name: 'app' } },
    ],
    volumeMounts: [
      { name: 'info', mountPath: '/etc/info' },
      { name: 'list', mountPath: '/etc/list' },
      { name: 'keys', mountPath: '/etc/keys', readOnly: true },
      { name: 'all', mountPath: '/etc/work', subPath: 'conf' },
    ],
  },
);

/** One claim for twenty indexes: whole, and one of its folders. */
const SHARED = job(
  'shared',
  20,
  { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
  {
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'data', mountPath: '/in', subPath: 'in/put', readOnly: true },
    ],
  },
);

const EPHEMERAL = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'gp3',
  resources: { requests: { storage: '10Gi' } },
};
const DISK = job(
  'disk',
  1,
  { volumes: [{ name: 'disk', ephemeral: { volumeClaimTemplate: { spec: EPHEMERAL } } }] },
  { volumeMounts: [{ name: 'disk', mountPath: '/disk' }] },
);

type Definition = {
  readonly family: string;
  readonly volumes: readonly object[];
  readonly containerDefinitions: readonly {
    readonly name: string;
    readonly environment: readonly { readonly name: string; readonly value: string }[];
    readonly secrets?: readonly { readonly name: string; readonly valueFrom: string }[];
    readonly mountPoints?: readonly object[];
  }[];
};
type Run = { readonly taskDefinition: string; readonly overrides: object };

const asked = <T>(operation: string): readonly T[] =>
  sent.filter((each) => each.operation === operation).map(({ input }) => input as T);
const placesOf = (operation: string): readonly number[] =>
  sent.flatMap((each, at) => (each.operation === operation ? [at] : []));
const definitions = (): readonly Definition[] => asked<Definition>('RegisterTaskDefinition');
const COPY = /^arn:aws:secretsmanager:us-east-1:000000000000:secret:muster\/default\/db\/object:([\w.]+)::([\w-]+)$/;

test.runIf(canLook)(
  'Pods get what they name, by valid requests that each role allows',
  { timeout: TEST_MS },
  async () => {
    const settings = { greeting: 'hello', 'settings.toml': 'verbose = true\n' };
    await ask('POST', `${OBJECTS}/configmaps`, config('app', settings));
    await ask('POST', `${OBJECTS}/configmaps`, config('list', { items: ITEMS }));
    await ask('POST', `${OBJECTS}/secrets`, secret(PASSWORD));
    await ask('POST', '/api/v1/persistentvolumes', volume('shared', { mountOptions: ['tls', 'iam'] }));
    await ask('POST', `${OBJECTS}/persistentvolumeclaims`, claim('data', { accessModes: ['ReadWriteMany'] }));
    expect(asked('PutParameter')).toMatchObject([
      { Name: '/muster/secrets-key', Type: 'SecureString', Overwrite: false },
    ]);

    await ask('POST', JOBS, FILES);
    await ended('files', 3);
    const [created] = asked<{ readonly Name: string; readonly ClientRequestToken: string }>('CreateSecret');
    expect(created).toMatchObject({ Name: 'muster/default/db/object', Tags: [{ Key: 'muster', Value: 'copy' }] });
    // ECS reads a version as soon as a task starts.
    expect(placesOf('CreateSecret')[0]).toBeLessThan(placesOf('RegisterTaskDefinition')[0]!);
    const [definition] = definitions();
    const [writer, main] = definition!.containerDefinitions;
    expect(definition!.containerDefinitions.map(({ name }) => name)).toEqual(['muster-files', 'main']);
    expect(writer!.environment.find(({ name }) => name === 'MUSTER_FILES')?.value.split('\n')).toEqual([
      '0 text 0644 info/index',
      '1 gzip 0440 list/items.txt',
      '2 base64 0400 keys/bytes',
      '3 text 0400 keys/password',
      '4 text 0400 keys/tls.key',
      '5 text 0444 all_0/settings.toml',
      '6 text 0400 all_0/password',
    ]);
    expect(main!.environment).toEqual(
      expect.arrayContaining([
        { name: 'GREETING', value: 'hello' },
        { name: 'LINE', value: 'hello, world' },
        { name: 'APP_greeting', value: 'hello' },
      ]),
    );
    const named = (container: Definition['containerDefinitions'][number] | undefined) =>
      (container?.secrets ?? []).map(({ name, valueFrom }) => [
        name,
        ...(COPY.exec(valueFrom)?.slice(1) ?? [valueFrom]),
      ]);
    const version = created!.ClientRequestToken;
    expect(named(writer)).toEqual([
      ['MUSTER_FILE_2', 'bytes', version],
      ['MUSTER_FILE_3', 'password', version],
      ['MUSTER_FILE_4', 'tls.key', version],
      ['MUSTER_FILE_6', 'password', version],
    ]);
    expect(named(main)).toEqual([
      ['DB_password', 'password', version],
      ['DB_tls.key', 'tls.key', version],
      ['PASSWORD', 'password', version],
    ]);
    const runs = asked<Run>('RunTask');
    expect(runs).toHaveLength(3);

    const index = runs.map(({ overrides }) => /"MUSTER_FILE_0","value":"(\d)"/.exec(JSON.stringify(overrides))?.[1]);
    expect(new Set(index)).toEqual(new Set(['0', '1', '2']));
    expect(main!.mountPoints).toContainEqual({ sourceVolume: 'all_0', containerPath: '/etc/work', readOnly: true });

    await ask('POST', JOBS, SHARED);
    await ended('shared', 20);
    expect(definitions()).toHaveLength(2); // one for all twenty
    const fileSystem = (rootDirectory: string) => ({
      efsVolumeConfiguration: {
        fileSystemId: 'fs-0123456789abcdef0',
        rootDirectory,
        transitEncryption: 'ENABLED',
        authorizationConfig: { iam: 'ENABLED' },
      },
    });
    expect(definitions()[1]).toMatchObject({
      volumes: [fileSystem('/'), fileSystem('/in/put')],
      containerDefinitions: [
        { name: 'main', mountPoints: [{ containerPath: '/data' }, { containerPath: '/in', readOnly: true }] },
      ],
    });

    await ask('POST', JOBS, DISK);
    await ended('disk', 1);
    expect(definitions()[2]?.volumes).toEqual([{ name: 'disk', configuredAtLaunch: true }]);
    expect(asked<object>('RunTask').at(-1)).toMatchObject({
      volumeConfigurations: [{ name: 'disk', managedEBSVolume: { volumeType: 'gp3', sizeInGiB: 10 } }],
    });

    // A changed Secret is a new version, and a new definition that names it. Nothing else is new in it.
    await ask('PUT', `${OBJECTS}/secrets/db`, secret(NEXT_PASSWORD));
    await ask('POST', JOBS, { ...FILES, metadata: { name: 'again' } });
    await ended('again', 3);
    const { ClientRequestToken: next } = asked<{ readonly ClientRequestToken: string }>('PutSecretValue').at(-1)!;
    expect(next).not.toBe(version);
    expect(JSON.stringify(definitions()[3]?.containerDefinitions).replaceAll(next, version)).toBe(
      JSON.stringify(definition!.containerDefinitions),
    );
    expect([...secrets.held.get('muster/default/db/object')!.keys()]).toEqual([version, next]);
    expect(JSON.parse(secrets.held.get('muster/default/db/object')!.get(next)!)).toEqual({
      password: NEXT_PASSWORD,
      'tls.key': KEY,
      bytes: Buffer.from(BYTES).toString('base64'),
    });

    // With the Secret goes what tasks read of it.
    await ask('DELETE', `${OBJECTS}/secrets/db`);
    await functions.handlers.sweep({ time: '2026-11-20T12:00:00Z' }, contextOf('sweep', 30_000));
    expect(asked('DeleteSecret')).toMatchObject([{ SecretId: 'muster/default/db/object' }]);
    expect([...secrets.held.keys()]).toEqual([]);
    expect(faults).toEqual([]);

    // Values go to Secrets Manager, and nowhere else: not to the table, not to ECS, in no message, and in no line of a log.
    const told = sent.filter(({ text }) => find(text).length > 0).map(({ by, operation }) => `${by} ${operation}`);
    expect([...new Set(told)].toSorted()).toEqual(['dispatch CreateSecret', 'dispatch PutSecretValue']);
    expect(printed.length).toBeGreaterThan(0);
    expect(find(printed.join(''))).toEqual([]);
    const operations = new Set(sent.map(({ operation }) => operation));
    for (const looked of ['TransactWriteItems', 'UpdateItem', 'SendMessageBatch', 'RunTask', 'RegisterTaskDefinition'])
      expect([...operations]).toContain(looked);
  },
);
