import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { OUTPUT, SsmAgent, serviceMessage } from '../../../../../test/fakes/ssm-agent.ts';
import { type ChannelEffect, SsmChannel, openText } from '../../domain/ssm-channel.ts';
import { PAYLOADS } from '../../domain/ssm-messages.ts';

const PARTS = { digest: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest(), newId: () => randomUUID() };

/** Numbers from 0 to 1 by a seed. */
function drawn(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Faults = { readonly lost: number; readonly twice: number; readonly lateMs: number };
const NONE: Faults = { lost: 0, twice: 0, lateMs: 1 };

/** Both ends of a channel, and a link between them that loses, repeats, and delays, in a time of its own. */
function aLink(
  seed: number,
  faults: Faults,
  session: { type: string; kmsKey?: string } | null = { type: 'Standard_Stream' },
) {
  const draw = drawn(seed);
  const channel = new SsmChannel(PARTS);
  const said: ChannelEffect[] = [];
  const taken: Buffer[] = [];
  let nowMs = 1_000_000;
  let due: { readonly atMs: number; readonly nth: number; readonly act: () => void }[] = [];
  let nth = 0;
  const carry = (act: () => void): void => {
    if (draw() < faults.lost) return;
    for (let copies = draw() < faults.twice ? 2 : 1; copies > 0; copies--)
      due.push({ atMs: nowMs + 1 + draw() * faults.lateMs, nth: nth++, act });
  };
  const agent = new SsmAgent({
    send: (bytes) => carry(() => follow(channel.receive(bytes, nowMs))),
    take: (_payloadType, payload) => taken.push(payload),
    ...(session === null ? {} : { session }),
  });
  const follow = (effects: readonly ChannelEffect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'send') carry(() => agent.receive(Buffer.from(effect.bytes)));
      else said.push(effect);
    }
  };
  /** Lets time pass, 20 ms at a time. */
  const pass = (ms: number): void => {
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += 20;
      const now = due.filter(({ atMs }) => atMs <= nowMs).toSorted((a, b) => a.atMs - b.atMs || a.nth - b.nth);
      due = due.filter(({ atMs }) => atMs > nowMs);
      for (const { act } of now) act();
      follow(channel.tick(nowMs));
      if (nowMs % 200 === 0) agent.repeat();
    }
  };
  const input = (text: string): void => follow(channel.send(PAYLOADS.output, Buffer.from(text), nowMs));
  const shown = (): string =>
    said.map((each) => (each.kind === 'data' ? Buffer.from(each.payload).toString() : '')).join('');
  return { agent, channel, said, taken, pass, input, shown, follow, now: () => nowMs };
}

describe('a data channel', () => {
  test('begins with its token, in text', () => {
    expect(JSON.parse(openText('secret', PARTS))).toMatchObject({
      MessageSchemaVersion: '1.0',
      TokenValue: 'secret',
      ClientVersion: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) as unknown,
    });
  });

  test('shakes hands, and is ready then, once', () => {
    const link = aLink(1, NONE);
    link.agent.begin();
    link.pass(200);
    expect(link.agent.refused).toEqual([]);
    expect(link.said).toEqual([{ kind: 'ready' }]);
    link.agent.output(OUTPUT, Buffer.from('$ '));
    link.pass(200);
    expect(link.said.map(({ kind }) => kind)).toEqual(['ready', 'data']);
  });

  test('is ready with the first output of an agent that shakes no hands', () => {
    const link = aLink(1, NONE, null);
    link.agent.output(OUTPUT, Buffer.from('$ '));
    link.pass(100);
    expect(link.said.map(({ kind }) => kind)).toEqual(['ready', 'data']);
  });

  test('refuses encryption by KMS, and says what to do', () => {
    const link = aLink(1, NONE, { type: 'Standard_Stream', kmsKey: 'key' });
    link.agent.begin();
    link.pass(100);
    expect(link.agent.refused).toEqual(['KMSEncryption']);
    expect(link.said).toEqual([
      { kind: 'failed', why: expect.stringContaining('executeCommandConfiguration') as unknown },
    ]);
  });

  test.each(Array.from({ length: 20 }, (_, nth) => nth + 1))(
    'carries everything once and in order, whatever is lost, seed %i',
    (seed) => {
      const draw = drawn(seed + 1_000);
      const link = aLink(seed, { lost: draw() * 0.3, twice: draw() * 0.3, lateMs: draw() * 300 });
      link.agent.begin();
      const typed: string[] = [];
      const printed: string[] = [];
      for (let n = 0; n < 40; n++) {
        const [there, back] = [`in${n} `, `out${n} `];
        typed.push(there);
        printed.push(back);
        link.input(there);
        link.agent.output(OUTPUT, Buffer.from(back));
        link.pass(20 * Math.ceil(draw() * 3));
      }
      link.pass(60_000);
      expect(Buffer.concat(link.taken).toString()).toBe(typed.join(''));
      expect(link.shown()).toBe(printed.join(''));
      expect(link.agent.unacknowledged).toBe(0);
    },
  );

  test('sends nothing while it is paused, and everything afterwards', () => {
    const link = aLink(1, NONE);
    link.follow(link.channel.receive(serviceMessage('pause_publication', {}), 0));
    link.input('a');
    link.input('b');
    link.pass(2_000);
    expect([link.taken, link.channel.underWay]).toEqual([[], 2]);
    link.follow(link.channel.receive(serviceMessage('start_publication', {}), link.now()));
    link.pass(200);
    expect([Buffer.concat(link.taken).toString(), link.channel.underWay]).toEqual(['ab', 0]);
  });

  test('gives up on an agent that never answers', () => {
    const link = aLink(1, { lost: 1, twice: 0, lateMs: 1 });
    link.input('a');
    link.pass(10_000);
    expect(link.said).toEqual([]);
    link.pass(300_000);
    expect(link.said[0]).toMatchObject({ kind: 'failed' });
  });

  test('ends with what the service says', () => {
    const { channel } = aLink(1, NONE);
    const closed = serviceMessage('channel_closed', { Output: 'no sh there', SessionId: 's' });
    expect(channel.receive(closed, 0)).toEqual([{ kind: 'closed', why: 'no sh there' }]);
    expect(channel.receive(serviceMessage('channel_closed', {}), 0)).toEqual([{ kind: 'closed', why: '' }]);
  });
});
