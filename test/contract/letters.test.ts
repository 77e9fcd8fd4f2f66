import { describe, expect, test } from 'vitest';
import { asJobUid, plusMs } from '../../shared/domain/brand.ts';
import type { FiledLetter, LetterFile } from '../../shared/ports/dead-letters.ts';
import { createMemoryLetters } from '../../shared/adapters/memory/letters.ts';
import { createDynamoStore } from '../../shared/adapters/aws/dynamo-store.ts';
import { createTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { aClient, stopEngineAfterwards } from './dynamo-fixture.ts';
import { HandClock, T0, at } from './store-under-test.ts';

stopEngineAfterwards();

const aLetter = (nth: number, change: Partial<FiledLetter> = {}): FiledLetter => ({
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

const FILES: readonly (readonly [string, (clock: HandClock) => Promise<LetterFile>])[] = [
  ['memory', async (clock) => createMemoryLetters(clock.now)],
  [
    'DynamoDB',
    async (clock) => {
      const [client, tableName] = [aClient(), `letters-${Math.random().toString(36).slice(2)}`];
      await createTable(client, tableName);
      return createDynamoStore({ client, tableName, now: clock.now }).letters;
    },
  ],
];

describe.each(FILES)('the file of dead letters in %s', (_name, make) => {
  test('gives back what was filed, newest first, and says whether there is more', async () => {
    const file = await make(new HandClock());
    expect(await file.newest(10)).toEqual({ letters: [], more: false });
    const letters = [aLetter(1), aLetter(3, { job: null, body: 'x'.repeat(20_000) }), aLetter(2, { queue: 'wake' })];
    await file.file(letters, LATER);
    expect(await file.newest(10)).toEqual({ letters: [letters[1], letters[2], letters[0]], more: false });
    expect(await file.newest(3)).toMatchObject({ more: false });
    expect(await file.newest(2)).toEqual({ letters: [letters[1], letters[2]], more: true });
  });

  test('keeps a letter once, however often it is filed, and lets it go in time', async () => {
    const clock = new HandClock();
    const file = await make(clock);
    await file.file([aLetter(1)], plusMs(T0, 10_000));
    await file.file([aLetter(1, { filedAt: at(90_000) }), aLetter(1, { id: 'another' })], plusMs(T0, 20_000));
    expect((await file.newest(10)).letters).toHaveLength(2);
    clock.advance(21_000);
    expect(await file.newest(10)).toEqual({ letters: [], more: false });
  });
});
