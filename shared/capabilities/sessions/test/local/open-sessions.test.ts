import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type OpenSession, openSessions } from '../../local/open-sessions.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const aSession = (more: Partial<OpenSession> = {}): OpenSession => ({
  plan: { mayGoOn: async () => Promise.resolve(true) },
  socket: new PassThrough(),
  ping: () => undefined,
  bytes: () => 0,
  ...more,
});

/** Sockets say that they are closed in a turn of their own. */
const closed = async ({ socket }: OpenSession): Promise<void> => {
  socket.destroy();
  await new Promise((resolve) => process.nextTick(resolve));
};

test('there is room for 256, and again when one of them is closed', async () => {
  const sessions = openSessions();
  const all = Array.from({ length: 256 }, () => aSession());
  for (const each of all) {
    expect(sessions.room().kind).toBe('taken');
    sessions.add(each);
  }
  expect(sessions.room()).toMatchObject({ kind: 'busy' });
  await closed(all[7]!);
  expect(sessions.room().kind).toBe('taken');
  sessions.close();
  expect(all.every(({ socket }) => socket.destroyed)).toBe(true);
});

test('a client that was gone before takes no room', async () => {
  const sessions = openSessions();
  for (let n = 0; n < 256; n++) {
    const gone = aSession();
    await closed(gone);
    sessions.add(gone);
  }
  expect(sessions.room().kind).toBe('taken');
  sessions.close();
});

test('a client is asked for, and its session ends when its user may no more', async () => {
  const sessions = openSessions();
  let may = true;
  let pings = 0;
  const session = aSession({ plan: { mayGoOn: async () => Promise.resolve(may) }, ping: () => (pings += 1) });
  sessions.add(session);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([pings, session.socket.destroyed]).toEqual([1, false]);
  may = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([pings, session.socket.destroyed]).toEqual([2, true]);
  sessions.close();
});

test('a session that carries nothing for four hours ends, and no other', async () => {
  const sessions = openSessions();
  let bytes = 0;
  const [quiet, busy] = [aSession(), aSession({ bytes: () => (bytes += 1) })];
  sessions.add(quiet);
  sessions.add(busy);
  await vi.advanceTimersByTimeAsync(4 * HOUR_MS);
  expect(quiet.socket.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([quiet.socket.destroyed, busy.socket.destroyed]).toEqual([true, false]);
  sessions.close();
});
