import { appendFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  DescribeLogStreamsCommand,
  FilterLogEventsCommand,
  GetLogEventsCommand,
  type CloudWatchLogsClient,
  type GetLogEventsCommandInput,
} from '@aws-sdk/client-cloudwatch-logs';
import { RunTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogs } from '../../local/logs/create-logs.ts';
import { escapeName, streamFile, unescapeName } from '../../local/logs/stream-files.ts';
import { container, eventOf, eventually, makeFolders, register, startServer, type TaskServer } from './task-server.ts';

const GROUP = '/muster/tasks';
const LOGGED = {
  logConfiguration: {
    logDriver: 'awslogs' as const,
    options: { 'awslogs-group': GROUP, 'awslogs-stream-prefix': 'job' },
  },
};

let folders: ReturnType<typeof makeFolders>;
let server: TaskServer;
let logs: CloudWatchLogsClient;

beforeEach(async () => {
  folders = makeFolders();
  server = await startServer({ kind: 'process', ...folders });
  ({ logs } = server);
});
afterEach(async () => {
  await server.close();
  folders.remove();
});

const get = async (logStreamName: string, more: Partial<GetLogEventsCommandInput> = {}) => {
  const { events, nextForwardToken, nextBackwardToken } = await logs.send(
    new GetLogEventsCommand({ logGroupName: GROUP, logStreamName, ...more }),
  );
  return {
    lines: events!.map(({ message }) => message),
    events: events!,
    forward: nextForwardToken,
    backward: nextBackwardToken,
  };
};

/** Starts a task and returns its stream. */
async function run(script: string, name = 'main'): Promise<{ stream: string; taskArn: string }> {
  await register(server, 'job', [container(name, { command: ['sh', '-c', script], ...LOGGED })]);
  const { tasks } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
  const taskArn = tasks![0]!.taskArn!;
  return { stream: `job/${name}/${taskArn.slice(-32)}`, taskArn };
}

/** A stream that no task of this server writes. */
function writeStream(stream: string, content: string): string {
  const file = streamFile(join(folders.dataDir, 'logs'), { group: GROUP, stream });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

describe('logs of real tasks', () => {
  test.each(['TERM', 'SEGV', 'KILL', 'INT'])(
    'the log of a program that dies of SIG%s ends with its own',
    async (signal) => {
      const { stream, taskArn } = await run(`echo its last words; kill -${signal} $$; sleep 600`);
      await eventOf(server, taskArn, 'STOPPED');
      expect((await get(stream)).lines).toEqual(['its last words']);
    },
  );

  test('the log of a program that is stopped ends with its own', async () => {
    const { stream, taskArn } = await run('echo its last words; exec sleep 600');
    await eventually(async () => (await get(stream)).lines[0]);
    await server.client.send(new StopTaskCommand({ task: taskArn }));
    await eventOf(server, taskArn, 'STOPPED');
    expect((await get(stream)).lines).toEqual(['its last words']);
  });

  test('standard output and error are one stream, in order, named as on Fargate', async () => {
    const { stream, taskArn } = await run('echo one; echo two >&2; printf "three\\r\\n\\nlast without an end"');
    const { startedAt, stoppedAt } = await eventOf(server, taskArn, 'STOPPED');
    const { lines, events } = await get(stream);
    expect(lines).toEqual(['one', 'two', 'three\r', 'last without an end']);
    for (const { timestamp } of events) {
      expect(timestamp).toBeGreaterThanOrEqual(Date.parse(startedAt!) - 1_000);
      expect(timestamp).toBeLessThanOrEqual(Date.parse(stoppedAt!) + 1_000);
    }
  });

  test('a live stream is read as it grows; a line appears when it is whole', async () => {
    const { stream, taskArn } = await run(
      'wait_for() { while [ ! -e "$1" ]; do sleep 0.02; done; }; printf "a\\nb"; wait_for go1; printf "\\nc\\n"; wait_for go2',
    );
    const first = await eventually(async () => {
      const page = await get(stream, { startFromHead: true }).catch(() => null);
      return page !== null && page.lines.length > 0 ? page : null;
    });
    expect(first.lines).toEqual(['a']);
    const same = await get(stream, { nextToken: first.forward });
    expect([same.lines, same.forward]).toEqual([[], first.forward]);
    writeFileSync(join(folders.workspaceDir, 'go1'), '');
    const more = await eventually(async () => {
      const page = await get(stream, { nextToken: first.forward });
      return page.lines.length === 2 ? page : null;
    });
    expect(more.lines).toEqual(['b', 'c']);
    expect(more.events[0]!.timestamp).toBeGreaterThanOrEqual(first.events[0]!.timestamp!);
    writeFileSync(join(folders.workspaceDir, 'go2'), '');
    await eventOf(server, taskArn, 'STOPPED');
    const all = await get(stream, { startFromHead: true });
    expect(all.lines).toEqual(['a', 'b', 'c']);
    expect(all.events[0]!.timestamp, 'a line keeps its time').toBe(first.events[0]!.timestamp);
  });

  test('a container without awslogs has no stream', async () => {
    await register(server, 'job');
    const { tasks } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
    await eventOf(server, tasks![0]!.taskArn, 'STOPPED');
    await expect(get(`job/main/${tasks![0]!.taskArn!.slice(-32)}`)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'The specified log group does not exist.',
    });
  });
});

describe('reading', () => {
  const NUMBERS = Array.from({ length: 25 }, (_, n) => `line ${n}`);

  test('forwards page by page until the token stays the same, and backwards from the end', async () => {
    writeStream('s/main/x', `${NUMBERS.join('\n')}\n`);
    const forwards: (string | undefined)[] = [];
    let page = await get('s/main/x', { startFromHead: true, limit: 10 });
    for (let token; token !== page.forward; page = await get('s/main/x', { nextToken: page.forward, limit: 10 })) {
      forwards.push(...page.lines);
      token = page.forward;
      if (page.lines.length === 0) break;
    }
    expect(forwards).toEqual(NUMBERS);

    const last = await get('s/main/x', { limit: 10 });
    expect(last.lines).toEqual(NUMBERS.slice(15));
    const before = await get('s/main/x', { nextToken: last.backward, limit: 10 });
    expect(before.lines).toEqual(NUMBERS.slice(5, 15));
    const first = await get('s/main/x', { nextToken: before.backward, limit: 10 });
    expect(first.lines).toEqual(NUMBERS.slice(0, 5));
    const none = await get('s/main/x', { nextToken: first.backward, limit: 10 });
    expect([none.lines, none.backward]).toEqual([[], first.backward]);
    expect((await get('s/main/x', { nextToken: last.forward })).lines).toEqual([]);
  });

  test('no page is larger than 1 MB, and nothing is lost between pages', async () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `${n} ${'é'.repeat(500)}`);
    writeStream('s/main/big', lines.join('\n'));
    const read: (string | undefined)[] = [];
    let token: string | undefined;
    for (;;) {
      const page = await get('s/main/big', token === undefined ? { startFromHead: true } : { nextToken: token });
      expect(Buffer.byteLength(page.lines.join(''))).toBeLessThanOrEqual(1024 * 1024);
      read.push(...page.lines);
      if (page.forward === token) break;
      token = page.forward;
    }
    expect(read).toEqual(lines);
    expect((await get('s/main/big', { limit: 2 })).lines).toEqual(lines.slice(-2));
  });

  test('a line without an end is cut at 256 KB, between characters', async () => {
    const text = 'é'.repeat(300_000);
    writeStream('s/main/long', `${text}\nnext\n`);
    const { lines } = await get('s/main/long', { startFromHead: true });
    expect(lines.at(-1)).toBe('next');
    expect(lines.slice(0, -1).join('')).toBe(text);
    expect(lines.every((line) => !line!.includes('\ufffd'))).toBe(true);
  });

  test('times select: from the start on, up to before the end', async () => {
    const file = writeStream('s/main/t', 'early\n');
    utimesSync(file, 1_000, 1_000);
    await get('s/main/t');
    appendFileSync(file, 'late\n');
    utimesSync(file, 2_000, 2_000);
    const { events } = await get('s/main/t');
    expect(events.map(({ message, timestamp }) => [message, timestamp])).toEqual([
      ['early', 1_000_000],
      ['late', 2_000_000],
    ]);
    expect((await get('s/main/t', { startTime: 1_000_001 })).lines).toEqual(['late']);
    expect((await get('s/main/t', { endTime: 2_000_000 })).lines).toEqual(['early']);
    expect((await get('s/main/t', { startTime: 2_000_000, endTime: 2_000_001 })).lines).toEqual(['late']);
    utimesSync(file, 1_500, 1_500);
    appendFileSync(file, 'the clock was set back\n');
    utimesSync(file, 1_500, 1_500);
    expect((await get('s/main/t')).events.map(({ timestamp }) => timestamp)).toEqual([1_000_000, 2_000_000, 2_000_000]);
  });

  test('what is not there and what makes no sense is refused', async () => {
    await expect(get('s/main/x')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'The specified log group does not exist.',
    });
    writeStream('s/main/x', 'x\n');
    await expect(get('s/main/y')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'The specified log stream does not exist.',
    });
    for (const more of [{ nextToken: 'nonsense' }, { limit: 0 }, { limit: 10_001 }]) {
      await expect(get('s/main/x', more)).rejects.toMatchObject({ name: 'InvalidParameterException' });
    }
    for (const logStreamName of ['../../secret', '..', '/etc/passwd', 's%2Fmain%2Fx']) {
      await expect(get(logStreamName)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    }
  });

  test('streams are listed by name, a page at a time, and found by prefix', async () => {
    const names = Array.from({ length: 7 }, (_, n) => `s/main/${n}`);
    for (const name of [...names, 'other/main/1']) writeStream(name, 'x\n');
    const list = async (more: object) => {
      const { logStreams, nextToken } = await logs.send(
        new DescribeLogStreamsCommand({ logGroupName: GROUP, ...more }),
      );
      return { names: logStreams!.map(({ logStreamName }) => logStreamName), nextToken };
    };
    const first = await list({ logStreamNamePrefix: 's/', limit: 5 });
    const second = await list({ logStreamNamePrefix: 's/', limit: 5, nextToken: first.nextToken });
    expect([...first.names, ...second.names]).toEqual(names);
    expect(second.nextToken).toBeUndefined();
    expect((await list({ descending: true, limit: 1 })).names).toEqual(['s/main/6']);
    const { logStreams } = await logs.send(
      new DescribeLogStreamsCommand({ logGroupName: GROUP, logStreamNamePrefix: 'other' }),
    );
    expect(logStreams).toMatchObject([
      {
        arn: `arn:aws:logs:us-east-1:000000000000:log-group:${GROUP}:log-stream:other/main/1`,
        lastEventTimestamp: expect.any(Number) as number,
      },
    ]);
  });

  test('FilterLogEvents finds text across streams', async () => {
    writeStream('s/main/1', 'alpha\nbeta\n');
    writeStream('s/main/2', 'gamma\nalphabet\n');
    const { events } = await logs.send(new FilterLogEventsCommand({ logGroupName: GROUP, filterPattern: '"alpha"' }));
    expect(events!.map(({ logStreamName, message }) => [logStreamName, message])).toEqual([
      ['s/main/1', 'alpha'],
      ['s/main/2', 'alphabet'],
    ]);
  });
});

test('old streams are deleted, but for those of live tasks', () => {
  const live = 'a'.repeat(32);
  const pruned = createLogs({ dataDir: folders.dataDir, isLive: (id) => id === live });
  for (const stream of ['s/main/old', `s/main/${live}`, 's/main/new']) {
    const file = writeStream(stream, 'x\n');
    if (stream !== 's/main/new') utimesSync(file, 1_000, 1_000);
  }
  expect(pruned.prune(2_000_000)).toBe(1);
  const left = readdirSync(join(folders.dataDir, 'logs', escapeName(GROUP))).map(unescapeName);
  expect(new Set(left)).toEqual(new Set([`s/main/${live}`, 's/main/new']));
});

test("streams of given tasks are deleted, each container's, but for those of live tasks", async () => {
  const [gone, live, other] = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
  const kept = createLogs({ dataDir: folders.dataDir, isLive: (id) => id === live });
  for (const stream of [`s/main/${gone}`, `s/side/${gone}`, `s/main/${live}`, `s/main/${other}`])
    writeStream(stream, 'x\n');
  const all = () => new Set(readdirSync(join(folders.dataDir, 'logs', escapeName(GROUP))).map(unescapeName));
  await kept.forget(new Set());
  expect(all().size).toBe(4);
  expect(kept.api.GetLogEvents({ logGroupName: GROUP, logStreamName: `s/main/${gone}` })).toMatchObject({
    events: [{}],
  });
  await kept.forget(new Set([gone!, live!]));
  expect(all()).toEqual(new Set([`s/main/${live}`, `s/main/${other}`]));
  expect(() => kept.api.GetLogEvents({ logGroupName: GROUP, logStreamName: `s/main/${gone}` })).toThrow(
    'does not exist',
  );
});
