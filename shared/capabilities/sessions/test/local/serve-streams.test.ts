import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type ContainerSession, SessionError, type TaskSessions } from '../../../../../local/container-sessions.ts';
import type { SessionEnd } from '../../domain/session-end.ts';
import type { SessionPlan } from '../../domain/session-plan.ts';
import { serveStreams } from '../../local/serve-streams.ts';

const PLAN: SessionPlan = {
  protocol: { name: 'v5.channel.k8s.io', over: 'websocket' },
  taskId: 'task',
  container: 'main',
  pod: { name: 'pod', uid: 'uid' },
  wanted: { kind: 'exec', command: ['cat'], stdin: true, stdout: true, stderr: false, tty: false },
  mayGoOn: async () => Promise.resolve(true),
};

/** A client that sends this, and what it gets. */
function aClient(sends: string) {
  const stdout = new PassThrough();
  const ends: SessionEnd[] = [];
  let out = '';
  stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return {
    carried: {
      stdin: Readable.from([Buffer.from(sends)]),
      stdout,
      stderr: null,
      onSize: () => undefined,
      finish: async (end: SessionEnd) => Promise.resolve(void ends.push(end)),
    },
    out: () => out,
    ends,
  };
}

const withExec = (exec: TaskSessions['exec']): TaskSessions => ({
  exec,
  attach: async () => Promise.reject(new Error('not asked')),
  connect: async () => Promise.reject(new Error('not asked')),
  refusal: () => null,
});

/** A program that prints what it reads; `onHangUp` when nobody is there any more. */
function aCat(onHangUp: () => void = () => undefined): ContainerSession {
  const cat = new PassThrough();
  const noise = new PassThrough();
  noise.end('nobody reads this');
  return {
    stdin: cat,
    stdout: cat,
    stderr: noise,
    resize: () => undefined,
    ended: new Promise((resolve) => cat.once('end', () => resolve(5))),
    hangUp() {
      onHangUp();
      cat.destroy();
      cat.emit('end');
    },
  };
}

const HERE = new AbortController().signal;

test('input goes in, output comes out, and the end follows it', async () => {
  const { carried, out, ends } = aClient('a line\n');
  await serveStreams(
    PLAN,
    carried,
    HERE,
    withExec(async () => Promise.resolve(aCat())),
  );
  expect(out()).toBe('a line\n');
  expect(ends).toEqual([{ kind: 'ended', exitCode: 5 }]);
});

test('a command that cannot begin is an end that says why', async () => {
  const { carried, ends } = aClient('');
  const refuse = async () => Promise.reject(new SessionError('nosuch: command not found'));
  await serveStreams(PLAN, carried, HERE, withExec(refuse));
  expect(ends).toEqual([{ kind: 'failed', why: 'error executing command in container: nosuch: command not found' }]);
});

test('a client that is gone has its program hung up, and hears nothing', async () => {
  const { carried, ends } = aClient('');
  carried.stdin = new Readable({ read: () => undefined });
  const gone = new AbortController();
  let hangUps = 0;
  const served = serveStreams(
    PLAN,
    carried,
    gone.signal,
    withExec(async () => Promise.resolve(aCat(() => (hangUps += 1)))),
  );
  await new Promise((resolve) => setImmediate(resolve));
  gone.abort();
  await served;
  expect([hangUps, ends]).toEqual([1, []]);
});
