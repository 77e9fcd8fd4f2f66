import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AskApi, Upgrades } from '../../../../../local/local-part.ts';
import type { SessionPlan, TakeOver, Taken } from '../../domain/session-plan.ts';
import { openUpgrades } from '../../local/upgrades.ts';

const PLAN: SessionPlan = {
  protocol: { name: 'v5.channel.k8s.io', over: 'websocket' },
  taskId: 'task',
  container: 'main',
  pod: { name: 'pod', uid: 'uid' },
  wanted: { kind: 'attach', stdin: false, stdout: true, stderr: true, tty: false },
  mayGoOn: async () => Promise.resolve(true),
};
const notAsked = async () => Promise.reject(new Error('not asked'));
const SESSIONS = { exec: notAsked, attach: notAsked, connect: notAsked, refusal: () => null };

const aRequest = (url: string, headers: IncomingMessage['headers']) =>
  ({ method: 'GET', url, headers }) as IncomingMessage;

describe('requests that want another protocol', () => {
  const seen: Taken[] = [];
  const ask: AskApi = (_request, env) => {
    seen.push((env['takeOver'] as TakeOver)(PLAN));
    return new Response(null, { status: 200 });
  };
  let upgrades: Upgrades;
  beforeEach(() => {
    seen.length = 0;
    upgrades = openUpgrades(ask, SESSIONS, () => undefined);
  });
  afterEach(() => upgrades.close());

  test.each([
    ['websocket', '/api/v1/pods?watch=true', true],
    ['SPDY/3.1', '/api/v1/namespaces/a/pods/b/exec?command=ls', true],
    ['SPDY/3.1', '/api/v1/namespaces/a/pods/b/portforward', true],
    ['SPDY/3.1', '/api/v1/pods?watch=true&labelSelector=a/exec', false],
    ['h2c', '/api/v1/namespaces/a/pods/b/exec', false],
  ])('%s at %s is spoken: %s', (upgrade, url, is) => {
    expect(upgrades.wants(aRequest(url, { upgrade }))).toBe(is);
  });

  test('a session whose WebSocket does not come about gives its place back', async () => {
    const bad = { upgrade: 'websocket', 'sec-websocket-key': 'bad', 'sec-websocket-version': '13' };
    for (let n = 0; n < 257; n++) {
      const socket = new PassThrough().resume();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      upgrades.take(aRequest('/any/exec', bad), socket, Buffer.alloc(0));
      await closed;
    }
    expect(seen).toEqual(seen.map(() => ({ kind: 'taken' })));
    expect(seen).toHaveLength(257);
  });
});
