import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSealer } from '../../adapters/aes-sealer.ts';
import { SealError } from '../../ports/sealer.ts';
import { aKey } from './a-key.ts';

const OF = { kind: 'Secret', namespace: 'team', name: 'db', uid: '0001' };
const PLAIN = Buffer.from('{"password":"canary"}');
const otherKey = (): string => randomBytes(32).toString('base64');

test('what is sealed can be opened, by every process with the key, and shows nothing', async () => {
  const { key } = aKey();
  const sealed = await createSealer(key).seal(PLAIN, OF);
  expect(Buffer.from(await createSealer(key).open(sealed, OF))).toEqual(PLAIN);
  expect(Buffer.from(sealed).includes('canary')).toBe(false);
});

test('the same is never sealed alike', async () => {
  const sealer = createSealer(aKey().key);
  expect(await sealer.seal(PLAIN, OF)).not.toEqual(await sealer.seal(PLAIN, OF));
});

test('what repeats itself takes little', async () => {
  const sealed = await createSealer(aKey().key).seal(Buffer.alloc(1024 * 1024, 'line '), OF);
  expect(sealed.length).toBeLessThan(4096);
});

test('the key is made by what seals first, and asked for once', async () => {
  const { key, asked } = aKey();
  const sealer = createSealer(key);
  const sealed = await sealer.seal(PLAIN, OF);
  await sealer.seal(PLAIN, OF);
  await sealer.open(sealed, OF);
  expect(asked).toEqual({ reads: 2, made: 1 });
  const other = createSealer(key);
  await Promise.all([other.open(sealed, OF), other.open(sealed, OF), other.open(sealed, OF)]);
  expect(asked).toEqual({ reads: 3, made: 1 });
});

test('of those that make it at once, all have the same', async () => {
  const { key } = aKey();
  const [one, other] = [createSealer(key), createSealer(key)];
  const both = await Promise.all([one.seal(PLAIN, OF), other.seal(PLAIN, OF)]);
  for (const sealed of both) expect(Buffer.from(await createSealer(key).open(sealed, OF))).toEqual(PLAIN);
});

describe('what cannot be opened is an error that says why, and no part of it is shown', () => {
  /** Why it is refused. */
  const refusal = async (opened: Promise<unknown>): Promise<string> =>
    opened.then(
      () => 'it is opened',
      (error: unknown) =>
        error instanceof SealError && !error.message.includes('canary') ? error.message : 'no refusal',
    );

  test('the key is gone, and none is made in its place', async () => {
    const { key, put, held } = aKey();
    const sealed = await createSealer(key).seal(PLAIN, OF);
    put(null);
    expect(await refusal(createSealer(key).open(sealed, OF))).toMatch(/^there is no key: no file secrets\.key$/);
    expect(held()).toBeNull();
  });

  test('but the next try asks again', async () => {
    const { key, put, held } = aKey();
    const sealed = await createSealer(key).seal(PLAIN, OF);
    const right = held();
    put(null);
    const sealer = createSealer(key);
    expect(await refusal(sealer.open(sealed, OF))).toMatch(/no key/);
    put(right);
    expect(Buffer.from(await sealer.open(sealed, OF))).toEqual(PLAIN);
  });

  test('it is another key: both are named, as far as that tells nothing', async () => {
    const { key, put } = aKey();
    const sealed = await createSealer(key).seal(PLAIN, OF);
    put(otherKey());
    const why = /^it was sealed with the key [0-9a-f]{8}, and file secrets\.key holds the key [0-9a-f]{8}$/;
    expect(await refusal(createSealer(key).open(sealed, OF))).toMatch(why);
  });

  test.each(['', 'no base64', randomBytes(31).toString('base64'), `${otherKey()}AAAA`])(
    'it is no key: %j',
    async (text) => {
      const { key } = aKey(text);
      const why = /^file secrets\.key holds no key: it must be 32 bytes in base64$/;
      expect(await refusal(createSealer(key).seal(PLAIN, OF))).toMatch(why);
      expect(await refusal(createSealer(key).open(new Uint8Array(64), OF))).toMatch(why);
    },
  );

  test.each([
    ['kind', { ...OF, kind: 'ConfigMap' }],
    ['namespace', { ...OF, namespace: 'other' }],
    ['name', { ...OF, name: 'other' }],
    ['uid', { ...OF, uid: '0002' }],
    ['name, moved', { ...OF, namespace: 'tea', name: 'mdb' }],
  ])('it is put in the place of an object with another %s', async (_, of) => {
    const sealer = createSealer(aKey().key);
    expect(await refusal(sealer.open(await sealer.seal(PLAIN, OF), of))).toMatch(/altered, or is another object's$/);
  });

  test('a bit is another', async () => {
    const sealer = createSealer(aKey().key);
    const sealed = Buffer.from(await sealer.seal(PLAIN, OF));
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(await refusal(sealer.open(altered, OF))).toMatch(/altered|later release|sealed with the key/);
    }
  });

  test('it is cut off, or of a later release', async () => {
    const sealer = createSealer(aKey().key);
    const sealed = Buffer.from(await sealer.seal(PLAIN, OF));
    expect(await refusal(sealer.open(sealed.subarray(0, 20), OF))).toMatch(/too short/);
    sealed[0] = 2;
    expect(await refusal(sealer.open(sealed, OF))).toMatch(/form 2 is that of a later release/);
  });
});
