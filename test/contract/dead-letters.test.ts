import { describe, expect, test } from 'vitest';
import { plusMs } from '../../shared/domain/base/time.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import type { StoredDeadLetter, DeadLetterStore } from '../../shared/ports/dead-letters.ts';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import { createDynamoStore } from '../../shared/runtime/dynamo-store.ts';
import { createTable } from '../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { aClient, stopEngineAfterwards } from './dynamo-fixture.ts';
import { HandClock, T0, at } from './store-under-test.ts';

stopEngineAfterwards();

const aDeadLetter = (nth: number, change: Partial<StoredDeadLetter> = {}): StoredDeadLetter => ({
  queue: 'facts',
  id: `message-${nth}`,
  body: `{"n":${nth}}`,
  reason: 'Error: boom',
  sentAt: at(nth),
  job: asJobUid('uid-1'),
  filedAt: at(60_000),
  ...change,
});
const LATER = at(3_600_000);

const FILES: readonly (readonly [string, (clock: HandClock) => Promise<DeadLetterStore>])[] = [
  ['memory', async (clock) => createMemoryStore({ now: clock.now }).deadLetters],
  [
    'DynamoDB',
    async (clock) => {
      const [client, tableName] = [aClient(), `letters-${Math.random().toString(36).slice(2)}`];
      await createTable(client, tableName);
      return createDynamoStore({ client, tableName, now: clock.now }).deadLetters;
    },
  ],
];

describe.each(FILES)('stored dead letters in %s', (_name, make) => {
  test('are returned newest first, with a flag for more', async () => {
    const file = await make(new HandClock());
    expect(await file.newest(10)).toEqual({ deadLetters: [], more: false });
    const deadLetters = [
      aDeadLetter(1),
      aDeadLetter(3, { job: null, body: 'x'.repeat(20_000) }),
      aDeadLetter(2, { queue: 'wake' }),
    ];
    await file.file(deadLetters, LATER);
    expect(await file.newest(10)).toEqual({
      deadLetters: [deadLetters[1], deadLetters[2], deadLetters[0]],
      more: false,
    });
    expect(await file.newest(3)).toMatchObject({ more: false });
    expect(await file.newest(2)).toEqual({ deadLetters: [deadLetters[1], deadLetters[2]], more: true });
  });

  test('are stored once, however often they are filed, and expire', async () => {
    const clock = new HandClock();
    const file = await make(clock);
    await file.file([aDeadLetter(1)], plusMs(T0, 10_000));
    await file.file([aDeadLetter(1, { filedAt: at(90_000) }), aDeadLetter(1, { id: 'another' })], plusMs(T0, 20_000));
    expect((await file.newest(10)).deadLetters).toHaveLength(2);
    clock.advance(21_000);
    expect(await file.newest(10)).toEqual({ deadLetters: [], more: false });
  });
});
