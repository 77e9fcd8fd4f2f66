import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListTaskDefinitionFamiliesCommand } from '@aws-sdk/client-ecs';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contextOf } from '../../local/event-source/mapping.ts';
import { createEcsClients } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { createSqsClient } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { familyOf } from '../../shared/domain/task/task.ts';
import { formatDispatch } from '../../shared/schema/messages/queue-messages.ts';
import { environmentOf } from '../support/test-wiring.ts';
import { SENT, UNSENT } from '../rights/sent-actions.ts';
import { FUNCTIONS } from '../rights/statements.ts';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { JOBS, PATIENCE_MS, TEST_MS, eventually, indexed, shellJob } from './kube-calls.ts';

// Every function calls what it calls in the life of an installation, each with the rights of its own role, so that what is
// allowed and never sent is found as well.

const FIXTURES = join(import.meta.dirname, '../fixtures');
const INDEXES = 4_200;
/** Of a namespace; the sweep deletes the rest. */
const DELETED_WHILE_ASKED = 200;
const HANGS = { subdomain: 'workers' };

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime({ driver: 'simulated', script: { runMs: 60_000 }, wiring: 'emulateAws' });
}, PATIENCE_MS);
afterAll(async () => local?.close());

const sweep = async (time: string): Promise<unknown> =>
  local.runtime.handlers.sweep({ time }, contextOf('sweep', 30_000));
const gone = async (path: string): Promise<true> =>
  eventually(
    async () => {
      await sweep('2026-11-20T12:01:00Z');
      return (await local.kube.ask('GET', path)).status === 404 ? true : null;
    },
    () => `${path} is still there`,
  );

test('each function sends what the table says, and may', { timeout: 2 * TEST_MS }, async () => {
  const { kube, runtime } = local;
  const ask = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, text } = await kube.ask(method, path, body);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  };

  const patch = async (name: string, spec: object): Promise<void> => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ spec });
    const answer = await fetch(`${runtime.url}${JOBS}/${name}`, { method: 'PATCH', headers, body });
    expect(answer.status).toBe(200);
  };

  // A Job with names: launched, looked at while its tasks run, one Pod deleted, resized, suspended, resumed, deleted.
  await kube.create(shellJob('train', 'true', indexed(3, 3), HANGS));
  await kube.until('train', ({ status }) => status.active === 3);
  const [pod] = await eventually(
    async () => {
      const pods = (await kube.pods('train')).filter(({ status }) => status.phase === 'Running');
      return pods.length === 3 ? pods : null;
    },
    () => 'not all run',
  );
  await kube.ask('GET', `/api/v1/namespaces/default/pods/${pod!.metadata.name}/log`);
  await ask('GET', '/muster/v1/diagnosis');
  await ask('GET', '/muster/v1/jobs/diagnosis');
  await ask('GET', `/muster/v1/namespaces/default/jobs/train/waits`);
  await ask('DELETE', `/api/v1/namespaces/default/pods/${pod!.metadata.name}`);
  await kube.until('train', ({ status }) => status.failed === 1);
  for (const suspend of [true, false]) {
    await patch('train', { suspend });
    await kube.until('train', ({ status }) => (suspend ? status.active === 0 : status.active > 0));
  }

  // Indexes that start together, under a name that says so.
  const team = shellJob('team', 'true', indexed(2, 2), HANGS);
  await kube.create({ ...team, metadata: { name: 'team', annotations: { 'muster.run/gang': 'all' } } });
  await kube.until('team', ({ status }) => status.active === 2);

  await ask('POST', '/apis/muster.run/v1/namespaces/default/worklists', {
    apiVersion: 'muster.run/v1',
    kind: 'WorkList',
    metadata: { name: 'numbers' },
    spec: { range: '1-3' },
  });

  // A board of two chunks.
  await kube.create(shellJob('many', 'true', indexed(INDEXES, 20)));
  await kube.until('many', ({ status }) => status.active === 20);
  await ask('GET', '/api/v1/namespaces/default/pods?labelSelector=job-name%3Dmany');
  await patch('many', { parallelism: 2 });

  // A namespace with what may be in it.
  await ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await ask('POST', JOBS.replace('default', 'team'), shellJob('inner', 'true'));
  const { spec } = shellJob('nightly', 'true') as { readonly spec: object };
  await ask('POST', '/apis/batch/v1/namespaces/team/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: { schedule: '@daily', jobTemplate: { spec } },
  });
  const crowd = Array.from({ length: DELETED_WHILE_ASKED }, (_, i) =>
    shellJob(`crowd-${i}`, 'true', { suspend: true }),
  );
  for (let i = 0; i < crowd.length; i += 20)
    await Promise.all(crowd.slice(i, i + 20).map(async (job) => ask('POST', JOBS.replace('default', 'team'), job)));
  await ask('DELETE', '/api/v1/namespaces/team');
  await gone('/api/v1/namespaces/team');

  // A CronJob whose Jobs have items.
  const { spec: ticking } = shellJob('tick', 'true', indexed(3, 1)) as { readonly spec: object };
  const listed = { metadata: { annotations: { 'muster.run/work-list': 'numbers' } }, spec: ticking };
  const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';
  await ask('POST', CRONS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick' },
    spec: { schedule: '@every 1s', jobTemplate: listed },
  });
  await eventually(
    async () => ((await kube.ask('GET', `${CRONS}/tick`)).text.includes('"lastScheduleTime"') ? true : null),
    () => 'it never fired',
  );
  await ask('DELETE', `${CRONS}/tick`);
  await sweep('2026-11-20T00:00:00Z');

  // Messages that make Jobs: of a list, of what S3 says, and by way of the API.
  const onObject = { 'muster.run/on-object-created': 'uploads/*' };
  await ask('POST', CRONS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'load', annotations: onObject },
    spec: { schedule: '@yearly', suspend: true, jobTemplate: listed },
  });
  const notification = readFileSync(join(FIXTURES, 'submissions/s3-notification.json'), 'utf8');
  for (const [i, message] of [
    JSON.parse(notification) as object,
    { from: { kind: 'CronJob', name: 'load' } },
  ].entries()) {
    await ask('POST', '/muster/v1/submissions', message);
    await eventually(
      async () => {
        const found = await kube.ask('GET', `${JOBS}?labelSelector=muster.run/submitted-from=load`);
        return (JSON.parse(found.text) as { readonly items: readonly unknown[] }).items.length > i ? true : null;
      },
      () => `no Job for message ${i}`,
    );
  }
  await ask('DELETE', `${CRONS}/load`);

  // A Job that outlives nothing.
  await kube.create(shellJob('short', 'true; true', { ...indexed(1, 1), ttlSecondsAfterFinished: 0 }));
  await patch('many', { parallelism: 1 });
  await gone(`${JOBS}/short`);

  // What nobody can process.
  const { region, endpoints, accessKey, queues } = environmentOf(runtime);
  const client = createSqsClient({ region, endpoint: endpoints.sqs, accessKey: accessKey! });
  for (const QueueUrl of Object.values(queues).filter((url) => url !== null))
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));

  // Task definitions that nobody uses, as if they were old. Those of Jobs that run are kept.
  const ecs = createEcsClients({ region, endpoint: endpoints.ecs, accessKey: accessKey! }).other;
  const familiesAt = async () =>
    (await ecs.send(new ListTaskDefinitionFamiliesCommand({ status: 'ACTIVE' }))).families!;
  const families = await familiesAt();
  const MessageBody = formatDispatch({
    kind: 'retireDefinitions',
    families,
    before: asEpochMs(Date.now() + 60_000),
    after: null,
  });
  await eventually(
    async () => {
      await sweep('2026-11-20T12:01:00Z'); // a Job that is gone has an alarm for another minute
      await client.send(new SendMessageCommand({ QueueUrl: queues.dispatch, MessageBody }));
      return (await familiesAt()).length < families.length ? true : null;
    },
    () => `${families.length} families are still ACTIVE`,
  );
  const many = await runtime.runtime.deps.jobs.findJob('default', 'many');
  const [template] = await runtime.runtime.deps.jobs.readTemplates(many!);
  expect(await familiesAt()).toContain(familyOf(template!));
  ecs.destroy();
  client.destroy();

  // Both sweeps, then the end of everything.
  await sweep('2026-11-20T12:00:00Z');
  for (const name of ['train', 'team', 'many']) await kube.remove(name);
  await gone(`${JOBS}/train`);
  await sweep('2026-11-20T12:00:00Z');
  const missing = () =>
    Object.fromEntries(
      FUNCTIONS.map((name) => [name, SENT[name].filter((action) => !runtime.asked.allowed[name].has(action))]),
    );
  await eventually(
    async () => {
      await sweep('2026-11-20T12:01:00Z');
      return Object.values(missing()).flat().length === 0 ? true : null;
    },
    () => `nobody has sent ${JSON.stringify(missing())}`,
  );
  expect(runtime.asked.faults).toEqual([]);
  for (const name of FUNCTIONS) {
    const usual = [...runtime.asked.allowed[name]].filter((action) => !(action in UNSENT[name]));
    expect([name, usual.sort()]).toEqual([name, [...SENT[name]].sort()]);
  }
});
