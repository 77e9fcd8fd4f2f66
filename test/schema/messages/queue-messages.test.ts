import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../../shared/domain/base/ids.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { DispatchMessage, FactMessage } from '../../../shared/ports/queues.ts';
import {
  type ParsedDispatch,
  formatDispatch,
  formatFactMessage,
  formatWakeUp,
  parseDispatch,
  parseFactMessage,
  parseReconcileRequest,
  parseWakeUp,
} from '../../../shared/schema/messages/queue-messages.ts';

const uid = asJobUid('2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55');
const arn = asTaskArn('arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f');
const anId = fc.record({ index: fc.nat(), attempt: fc.nat(), nonce: fc.nat() });
const anAt = fc.nat().map(asEpochMs);
const aTime = fc.option(anAt);
const aReason = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('odd: \uFFFE \uFFFF \u0000 \uD800'));
/** SendMessage: #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF */
const TAKEN_BY_SQS = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;
const anArn = fc.constant(arn);
const aFact: fc.Arbitrary<Fact> = fc
  .tuple(
    anId,
    fc.oneof(
      fc.record({ kind: fc.constant('launched' as const), at: anAt, taskArn: anArn }),
      fc.record({ kind: fc.constant('refused' as const), at: anAt, reason: fc.string(), retryAt: anAt }),
      fc.record({ kind: fc.constant('rejected' as const), at: anAt, reason: aReason }),
      fc.record({ kind: fc.constant('cancelled' as const), at: anAt }),
      fc.record({ kind: fc.constant('deleted' as const), at: anAt, taskArn: fc.option(anArn) }),
      fc.record({ kind: fc.constant('deleted' as const), at: anAt, taskArn: anArn, launchedAt: anAt }),
      fc.record({ kind: fc.constant('running' as const), at: anAt, taskArn: anArn }),
      fc.record({ kind: fc.constant('running' as const), at: anAt, taskArn: anArn, ip: fc.ipV4() }),
      fc.record({
        kind: fc.constant('stopped' as const),
        at: anAt,
        taskArn: fc.option(anArn),
        ending: fc.record({
          cause: fc.constantFrom(
            'Completed' as const,
            'Error',
            'OOMKilled',
            'Stopped',
            'Spot',
            'Infrastructure',
            'StartFailed',
            'Unplaced',
          ),
          exitCode: fc.option(fc.nat(255)),
          container: fc.option(fc.string()),
          reason: fc.string(),
        }),
        times: fc.record({ createdAt: aTime, startedAt: aTime, stoppedAt: aTime }),
      }),
    ),
  )
  .map(([id, fact]) => ({ ...id, ...fact }));
const aDispatch: fc.Arbitrary<DispatchMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('pack' as const),
    uid: fc.constant(uid),
    launch: fc.array(anId, { maxLength: 10 }),
    stop: fc.array(anId, { maxLength: 10 }),
  }),
  fc.record({
    kind: fc.constant('pack' as const),
    uid: fc.constant(uid),
    launch: fc.array(anId, { maxLength: 1 }),
    stop: fc.constant([]),
    lookFrom: fc.record({ startedAt: anAt, family: fc.option(fc.string()), after: fc.option(fc.string()) }),
  }),
  fc.record({ kind: fc.constant('stopTask' as const), uid: fc.constant(uid), taskArn: anArn }),
  fc.record({
    kind: fc.constant('stopTask' as const),
    uid: fc.constant(uid),
    taskArn: anArn,
    podDeleted: fc.constant(true as const),
    turn: fc.nat(12),
  }),
  fc.record({ kind: fc.constant('inspect' as const), uid: fc.constant(uid), from: fc.nat() }),
  fc.record({ kind: fc.constant('sweepTasks' as const), after: fc.option(fc.string()) }),
  fc.record({ kind: fc.constant('sweepTasks' as const), after: fc.constant(null), turn: fc.nat() }),
  fc.record({
    kind: fc.constant('sweepDefinitions' as const),
    prefix: fc.string(),
    after: fc.option(fc.string()),
    turn: fc.nat(),
  }),
  fc.record({ kind: fc.constant('retireDefinitions' as const), families: fc.array(fc.string()), before: anAt }),
  fc.record({
    kind: fc.constant('retireDefinitions' as const),
    families: fc.array(fc.string()),
    before: anAt,
    after: fc.option(fc.string()),
  }),
);

test('what is sent is what arrives', () => {
  fc.assert(
    fc.property(fc.array(aFact, { maxLength: 5 }), (facts) => {
      expect(parseFactMessage(formatFactMessage({ uid, facts }))).toEqual({ uid, facts });
      expect(formatFactMessage({ uid, facts })).toMatch(TAKEN_BY_SQS);
      expect(parseReconcileRequest(formatFactMessage({ uid, facts }), 'muster:')).toEqual({
        uid,
        facts,
        inspect: false,
      });
    }),
  );
  fc.assert(
    fc.property(aDispatch, (message) => {
      expect(parseDispatch(formatDispatch(message))).toEqual(message);
    }),
  );
  expect(parseWakeUp(formatWakeUp({ uid }))).toEqual({ uid, inspect: false });
  expect(parseWakeUp(formatWakeUp({ uid, inspect: true }))).toEqual({ uid, inspect: true });
  expect(parseReconcileRequest(formatWakeUp({ uid, inspect: true }), 'muster:')).toEqual({
    uid,
    facts: [],
    inspect: true,
  });
  expectTypeOf<ReturnType<typeof parseFactMessage>>().toExtend<FactMessage>();
  expectTypeOf<ParsedDispatch>().toExtend<DispatchMessage>();
  expectTypeOf<DispatchMessage>().toExtend<ParsedDispatch>();
});

test('the format of one message of each kind', () => {
  const id = { index: 7, attempt: 2, nonce: 0 };
  expect([
    formatWakeUp({ uid: 'u', inspect: true }),
    formatDispatch({ kind: 'pack', uid: asJobUid('u'), launch: [id], stop: [] }),
    formatFactMessage({ uid: 'u', facts: [{ ...id, kind: 'running', taskArn: arn, at: asEpochMs(5) }] }),
  ]).toMatchInlineSnapshot(`
    [
      "{"v":1,"uid":"u","inspect":true}",
      "{"v":1,"kind":"pack","uid":"u","launch":[[7,2,0]],"stop":[]}",
      "{"v":1,"uid":"u","facts":[{"id":[7,2,0],"kind":"running","taskArn":"arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f","at":5}]}",
    ]
  `);
});

test('an ECS event becomes its facts', () => {
  const body = (name: string) =>
    readFileSync(new URL(`../../fixtures/ecs-events/${name}.json`, import.meta.url), 'utf8');
  expect(parseReconcileRequest(body('completed'), 'muster:')).toMatchObject({
    uid,
    facts: [{ index: 7, attempt: 2, nonce: 0, kind: 'stopped', ending: { cause: 'Completed' } }],
  });
  expect(parseReconcileRequest(body('spot-notice'), 'muster:')).toEqual({ uid: null });
  expect(() => parseReconcileRequest(body('of-somebody-else'), 'muster:')).toThrow('not ours');
});

const BROKEN = [
  '',
  'not json',
  'null',
  '[]',
  '{}',
  '{"v":0,"uid":"u"}',
  '{"v":1}',
  '{"v":1,"uid":"../../x"}',
  '{"v":1,"uid":"u","inspect":1}',
  '{"v":1,"uid":"u","facts":[{"kind":"running","id":[1,2],"at":1,"taskArn":"arn:x"}]}',
  '{"v":1,"uid":"u","facts":[{"kind":"gone","id":[1,2,3],"at":1}]}',
  '{"v":1,"kind":"pack","uid":"u","launch":[[-1,1,0]],"stop":[]}',
  '{"v":1,"kind":"explode","uid":"u"}',
];

const refusal = (parse: (text: string) => unknown, text: string): string | null => {
  try {
    parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

test.each(BROKEN)('%s is refused by every parser, with a reason', (text) => {
  const parsers = [
    parseWakeUp,
    parseFactMessage,
    parseDispatch,
    (body: string) => parseReconcileRequest(body, 'muster:'),
  ];
  for (const parse of parsers) expect(refusal(parse, text)).toMatch(/./);
});

test.each(['{"v":2,"uid":"u"}', '{"v":2,"kind":"explode"}', '{"v":2,"uid":"u","facts":7}'])(
  '%s is left to a later release by every parser',
  (text) => {
    const parsers = [
      parseWakeUp,
      parseFactMessage,
      parseDispatch,
      (body: string) => parseReconcileRequest(body, 'muster:'),
    ];
    for (const parse of parsers) expect(() => parse(text)).toThrow(new NewerFormatError('a message', 2, 1));
  },
);

test('what the board has to say of launches comes along', () => {
  const message: DispatchMessage = {
    kind: 'pack',
    uid: asJobUid('job'),
    launch: [
      { index: 7, attempt: 3, nonce: 0 },
      { index: 8, attempt: 1, nonce: 2 },
    ],
    stop: [],
    traits: new Map([
      [7, { onDemand: true, failures: 2, ignored: 1 }],
      [8, { onDemand: false, failures: 0, ignored: 0, restarts: 2 }],
    ]),
    ahead: 60,
    putOffAt: asEpochMs(7),
  };
  expect(parseDispatch(formatDispatch(message))).toEqual(message);
});
