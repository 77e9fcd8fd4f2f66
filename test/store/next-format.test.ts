import { afterEach, beforeEach, expect, test } from 'vitest';
import { Reader, Writer } from '../../shared/domain/base/bytes.ts';
import { NewerFormatError } from '../../shared/domain/base/newer-format.ts';
import type { Status } from '../../shared/domain/scoreboard/status.ts';
import { decodeStatus, encodeStatus } from '../../shared/domain/codecs/status-codec.ts';
import { NEW_IN_RELEASE } from '../../shared/domain/manifests/new-in-release.ts';
import { JOBS, aWorld, manifest } from '../kube/a-world.ts';
import { aBoard } from '../support/a-board.ts';

// The next format of a stored row, step by step, as docs/decisions/formats.md says. Jobs get a colour, by an annotation.

const NEW = 'example.com/colour';
/** What a release would write into its list. */
const newAnnotations = NEW_IN_RELEASE.annotations as Set<string>;
beforeEach(() => void newAnnotations.add(NEW));
afterEach(() => void newAnnotations.delete(NEW));

type Coloured = { readonly status: Status; readonly colour: string | null };
const NEXT = 2;

/** Format 2 is format 1 with the colour before it. A Job without one stays in format 1. */
function encodeNext({ status, colour }: Coloured): Uint8Array {
  if (colour === null) return encodeStatus(status);
  const w = new Writer(64);
  const rest = encodeStatus(status);
  w.byte(NEXT);
  w.text(colour);
  w.varint(rest.length);
  w.bytes(rest);
  return w.finish();
}

/** Reads what this release writes, and what the one before has written. */
function decodeNext(bytes: Uint8Array): Coloured {
  const r = new Reader(bytes);
  const format = r.byte();
  if (format > NEXT) throw new NewerFormatError('a STATUS', format, NEXT);
  if (format < NEXT) return { status: decodeStatus(bytes), colour: null };
  const colour = r.text();
  return { status: decodeStatus(r.bytes(r.varint())), colour };
}

const { status } = aBoard('r . S');

test('the next format is read beside this one, written where it is used, and left alone by the release before', () => {
  const [plain, red] = [encodeNext({ status, colour: null }), encodeNext({ status, colour: 'red' })];
  expect([plain[0], red[0]]).toEqual([1, 2]);
  expect(decodeNext(encodeStatus(status))).toEqual({ status, colour: null });
  expect([plain, red].map((bytes) => decodeNext(bytes).colour)).toEqual([null, 'red']);
  expect(decodeNext(red).status).toEqual(status);
  // The release before, which is this one:
  expect(decodeStatus(plain)).toEqual(status);
  expect(() => decodeStatus(red)).toThrow(new NewerFormatError('a STATUS', 2, 1));
});

test('what asks for it is refused at the door while the release before may come back', async () => {
  const red = manifest('red', {}, { metadata: { name: 'red', annotations: { [NEW]: 'red' } } });
  const before = await aWorld({}, { formats: 'previous' });
  const refused = await before.post(JOBS, red);
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining(
      `metadata.annotations[${NEW}]: Forbidden: only this release of Muster knows it, and this installation may still go back to the ` +
        'one before: it runs with formats=previous',
    ),
  ]);
  expect((await before.post(JOBS, manifest('plain'))).status).toBe(201);
  expect((await (await aWorld()).post(JOBS, red)).status).toBe(201);
});
