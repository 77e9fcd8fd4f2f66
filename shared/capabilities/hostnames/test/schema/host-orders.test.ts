import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { asJobUid, asTaskArn } from '../../../../domain/base/ids.ts';
import type { DispatchMessage } from '../../../../ports/queues.ts';
import { formatDispatch, parseDispatch } from '../../../../schema/messages/queue-messages.ts';

const uid = asJobUid('2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55');
const arn = asTaskArn('arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f');
const anId = fc.record({ index: fc.nat(), attempt: fc.nat(), nonce: fc.nat() });
const anOrder: fc.Arbitrary<DispatchMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('hosts' as const),
    uid: fc.constant(uid),
    row: fc.nat(),
    seen: fc.array(
      fc.tuple(anId, fc.ipV4()).map(([id, ip]) => ({ ...id, taskArn: arn, ip })),
      { maxLength: 10 },
    ),
  }),
  fc.record({
    kind: fc.constant('hosts' as const),
    uid: fc.constant(uid),
    row: fc.nat(),
    seen: fc.constant([]),
    turn: fc.nat(),
  }),
  fc.record({ kind: fc.constant('closeHosts' as const), uid: fc.constant(uid) }),
);

test('what is sent is what arrives', () => {
  fc.assert(
    fc.property(anOrder, (message) => {
      expect(parseDispatch(formatDispatch(message))).toEqual(message);
    }),
  );
});

test('the format of one message of each kind', () => {
  const seen = [{ index: 7, attempt: 2, nonce: 0, taskArn: arn, ip: '10.0.0.1' }];
  expect([
    formatDispatch({ kind: 'hosts', uid: asJobUid('u'), row: 0, seen, turn: 1 }),
    formatDispatch({ kind: 'closeHosts', uid: asJobUid('u') }),
  ]).toMatchInlineSnapshot(`
    [
      "{"v":1,"kind":"hosts","uid":"u","row":0,"seen":[{"id":[7,2,0],"taskArn":"arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f","ip":"10.0.0.1"}],"turn":1}",
      "{"v":1,"kind":"closeHosts","uid":"u"}",
    ]
  `);
});
