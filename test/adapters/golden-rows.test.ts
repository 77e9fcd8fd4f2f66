import { inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import {
  AttemptSchema,
  EntriesSchema,
  HostsSchema,
  ReservationsSchema,
  SlotsSchema,
  SpecSchema,
  TemplatesSchema,
  packPods,
} from '../../shared/store/programs/row-bodies.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { FeedEntry } from '../../shared/ports/feed.ts';
import type { AttemptRecord, LaunchSlot } from '../../shared/ports/job-store.ts';
import { type Item, type Store, lastOf } from '../contract/spied-store.ts';

// Golden texts of what rows hold as JSON, before deflate. What is stored today must be read tomorrow: rows are added to a
// table, never changed, and what a later version stores otherwise gets a table of its own, while the old one is read still.

const at = asEpochMs(1_750_000_000_000);
const uid = asJobUid('2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55');
const taskArn = asTaskArn('arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f0f');
const id = { index: 41, attempt: 2, nonce: 3 };

const SLOTS: readonly LaunchSlot[] = [
  { ...id, state: 'launching', since: at },
  { ...id, index: 42, state: 'launching', since: at, traits: { onDemand: true, failures: 1, ignored: 2 } },
  { ...id, index: 43, state: 'cancelled' },
  { ...id, index: 44, state: 'cancelled', refusedAt: at },
  { ...id, index: 45, state: 'launched', taskArn, since: at },
];
const STORED_SLOTS = `[{"index":41,"attempt":2,"nonce":3,"state":"launching","since":1750000000000},{"index":42,"attempt":2,"nonce":3,"state":"launching","since":1750000000000,"traits":{"onDemand":true,"failures":1,"ignored":2}},{"index":43,"attempt":2,"nonce":3,"state":"cancelled"},{"index":44,"attempt":2,"nonce":3,"state":"cancelled","refusedAt":1750000000000},{"index":45,"attempt":2,"nonce":3,"state":"launched","taskArn":"arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f0f","since":1750000000000}]`;

const TEMPLATE = { taskDefinition: 'muster-1:1', containers: ['main'], placement: '{}', zone: 'muster.internal' };
const STORED_TEMPLATE = `{"taskDefinition":"muster-1:1","containers":["main"],"placement":"{}","zone":"muster.internal"}`;

/** A body's text: a byte says how the rest is packed, which is deflated where that is shorter. */
function textIn(body: AttributeValue | undefined): string {
  const [how, ...rest] = body?.B ?? [];
  expect([0, 1]).toContain(how);
  return (how === 0 ? Buffer.from(rest) : inflateRawSync(Buffer.from(rest))).toString();
}

/** The body that a call updates a row with. */
const updated = async (call: (store: Store) => Promise<unknown>): Promise<string> => {
  const { ExpressionAttributeValues: values } = await lastOf(call);
  return textIn((values as Item)[':body']);
};

const RESTARTED: LaunchSlot = {
  ...id,
  state: 'launching',
  since: at,
  traits: { onDemand: false, failures: 0, ignored: 0, restarts: 3 },
};
const STORED_RESTARTED = `[{"index":41,"attempt":2,"nonce":3,"state":"launching","since":1750000000000,"traits":{"onDemand":false,"failures":0,"ignored":0,"restarts":3}}]`;

describe('version 1: launches', () => {
  test.each([
    ['a row of slots', SLOTS, STORED_SLOTS],
    ['the launch of a Pod that is started again', [RESTARTED], STORED_RESTARTED],
  ])('%s', async (_, slots, stored) => {
    const row = { row: 4, version: 0, slots };
    expect(await updated(async ({ jobs }) => jobs.writeLaunches(uid, row, at))).toBe(stored);
    expect(SlotsSchema.parse(JSON.parse(stored))).toEqual(slots);
  });

  test('a template', async () => {
    expect(await updated(async ({ jobs }) => jobs.addTemplate(uid, 0, TEMPLATE))).toBe(STORED_TEMPLATE);
    expect(TemplatesSchema.parse(JSON.parse(STORED_TEMPLATE))).toEqual(TEMPLATE);
  });

  test('a template with an image for some items', async () => {
    const variants = [{ image: 'a:1', taskDefinition: 'muster-2:1' }];
    const body = await updated(async ({ jobs }) => jobs.addTemplate(uid, 0, { ...TEMPLATE, variants }));
    const stored = `${STORED_TEMPLATE.slice(0, -1)},"variants":[{"image":"a:1","taskDefinition":"muster-2:1"}]}`;
    expect(body).toBe(stored);
    expect(TemplatesSchema.parse(JSON.parse(stored))).toEqual({ ...TEMPLATE, variants });
  });
});

const STATES = [
  'pending',
  'claimed',
  'launched',
  'running',
  'succeeded',
  'failed',
  'waiting',
  'stopping',
  'gone',
] as const;

describe('the feed', () => {
  const entry: FeedEntry = {
    uid,
    namespace: 'default',
    name: 'tiles',
    type: 'MODIFIED',
    after: 3,
    version: 5,
    seq: 90,
    pods: STATES.map((state, n) => ({
      index: n * n,
      attempt: n + 1,
      state,
      ...(n % 2 === 1 ? { isNew: true as const } : {}),
    })),
    labelsBefore: { app: 'a' },
  };
  const stored = `[{"uid":"2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55","namespace":"default","name":"tiles","type":"MODIFIED","after":3,"version":5,"seq":90,"pods":{"i":[0,1,3,5,7,9,11,13,15],"a":[1,2,3,4,5,6,7,8,9],"s":"012345678","n":"010101010"},"labelsBefore":{"app":"a"}}]`;

  test('a row as it is stored now', async () => {
    const { TransactItems } = await lastOf(async ({ feed }) => feed.append([entry], at));
    const [, { Put }] = TransactItems as [unknown, { Put: { Item: Item } }];
    expect(textIn(Put.Item['body'])).toBe(stored);
    expect(EntriesSchema.parse(JSON.parse(stored))).toEqual([entry]);
  });

  test('Pods are stored by index, whatever their order', () => {
    const pods = [
      { index: 9, attempt: 1, state: 'running' },
      { index: 2, attempt: 3, state: 'claimed', isNew: true },
    ] as const;
    expect(packPods(pods)).toEqual({ i: [2, 7], a: [3, 1], s: '13', n: '10' });
  });
});

describe('version 1: what else is JSON', () => {
  test.each([
    [
      'an attempt',
      AttemptSchema,
      '{"index":1,"attempt":2,"nonce":0,"taskArn":null,"ending":{"cause":"Spot","exitCode":null,"container":null,"reason":"r"},"times":{"createdAt":null,"startedAt":1,"stoppedAt":2},"judgement":{"as":"lostToSpot","why":{"kind":"lost","reason":"r"}},"failures":1,"ignored":2,"restarts":3}',
      {
        index: 1,
        attempt: 2,
        nonce: 0,
        taskArn: null,
        ending: { cause: 'Spot', exitCode: null, container: null, reason: 'r' },
        times: { createdAt: null, startedAt: 1, stoppedAt: 2 },
        judgement: { as: 'lostToSpot', why: { kind: 'lost', reason: 'r' } },
        failures: 1,
        ignored: 2,
        restarts: 3,
      } as AttemptRecord,
    ],
    [
      'an attempt whose Pod had tasks before',
      AttemptSchema,
      '{"index":1,"attempt":2,"nonce":1,"taskArn":null,"ending":{"cause":"Completed","exitCode":0,"container":"main","reason":"r"},"times":{"createdAt":9,"startedAt":10,"stoppedAt":11},"judgement":{"as":"succeeded","why":{"kind":"exited","exitCode":0}},"failures":0,"ignored":0,"restarts":1,"podCreatedSec":5}',
      {
        index: 1,
        attempt: 2,
        nonce: 1,
        taskArn: null,
        ending: { cause: 'Completed', exitCode: 0, container: 'main', reason: 'r' },
        times: { createdAt: 9, startedAt: 10, stoppedAt: 11 },
        judgement: { as: 'succeeded', why: { kind: 'exited', exitCode: 0 } },
        failures: 0,
        ignored: 0,
        restarts: 1,
        podCreatedSec: 5,
      } as AttemptRecord,
    ],
    [
      'names of tasks',
      HostsSchema,
      '[{"index":1,"serviceId":"srv-1","tasks":[{"attempt":1,"nonce":0,"taskArn":"arn:aws:ecs:task","ip":"10.0.0.1","calledAt":null,"registered":true}]}]',
      [
        {
          index: 1,
          serviceId: 'srv-1',
          tasks: [
            { attempt: 1, nonce: 0, taskArn: 'arn:aws:ecs:task', ip: '10.0.0.1', calledAt: null, registered: true },
          ],
        },
      ],
    ],
    ['reservations of names', ReservationsSchema, '[{"uid":"u","count":3,"at":4}]', [{ uid: 'u', count: 3, at: 4 }]],
    [
      'a Job that inherits successes',
      SpecSchema,
      '{"identity":{"uid":"u","namespace":"n","name":"j","createdAt":1},"revision":3,"generation":2,"manifest":{"kind":"Job"},"inherited":"0-2,4"}',
      {
        identity: { uid: 'u', namespace: 'n', name: 'j', createdAt: 1 },
        generation: 2,
        revision: 3,
        manifest: { kind: 'Job' },
        inherited: '0-2,4',
      },
    ],
  ] as const)('%s', (_, schema, text, read) => {
    expect(schema.parse(JSON.parse(text))).toEqual(read);
  });
});
