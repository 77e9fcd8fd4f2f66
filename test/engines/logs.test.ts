import { randomUUID } from 'node:crypto';
import { CreateLogGroupCommand, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { expect } from 'vitest';
import { createCloudwatchLogs } from '../../shared/adapters/aws/logs/cloudwatch-logs.ts';
import { createLogsClient, sdkLogsCalls } from '../../shared/adapters/aws/logs/sdk-logs-calls.ts';
import { asTaskArn } from '../../shared/domain/base/ids.ts';
import type { LogReader } from '../../shared/ports/log-reader.ts';
import { describeEngine, type EngineCase } from './describe-engine.ts';
import { REGION, asSigned } from './engine-client.ts';

// What the API relies on in CloudWatch Logs, where the awslogs driver has written a task's lines. The embedded logs are read by
// the same adapter in test/ecs/logs-contract.test.ts, from real tasks: nobody can put lines into them.

const LINES = Array.from({ length: 12_000 }, (_, n) => `line ${n}`);
const GROUP = '/muster/tasks';

type LogsAt = {
  readonly logs: LogReader;
  /** A task with these lines in its log. */
  readonly taskWith: (lines: readonly string[]) => Promise<ReturnType<typeof asTaskArn>>;
};

const CASES: readonly { readonly name: string; run(at: LogsAt): Promise<void> }[] = [
  {
    name: 'a log is read from its head, page by page, to the end and not beyond',
    async run({ logs, taskWith }) {
      const taskArn = await taskWith(LINES);
      const read: string[] = [];
      let after: string | null = null;
      for (;;) {
        const page: Awaited<ReturnType<LogReader['read']>> = await logs.read({ taskArn, container: 'main', after });
        if (page.kind !== 'lines') throw new Error(`the log is ${page.kind}`);
        read.push(...page.lines.map(({ text }) => text));
        if (page.next === after) break;
        after = page.next;
      }
      expect(read).toEqual(LINES);
    },
  },
  {
    name: 'the newest lines come first when they are asked for, then those before them',
    async run({ logs, taskWith }) {
      const taskArn = await taskWith(LINES.slice(0, 100));
      const last = await logs.readBack({ taskArn, container: 'main', before: null, linesMax: 10 });
      if (last.kind !== 'lines') throw new Error(`the log is ${last.kind}`);
      expect(last.lines.map(({ text }) => text)).toEqual(LINES.slice(90, 100));
      const earlier = await logs.readBack({ taskArn, container: 'main', before: last.previous, linesMax: 10 });
      expect(earlier).toMatchObject({ kind: 'lines', lines: LINES.slice(80, 90).map((text) => ({ text })) });
      expect(await logs.read({ taskArn, container: 'main', after: last.next })).toMatchObject({ lines: [] });
    },
  },
  {
    name: 'a task that has said nothing has no log',
    async run({ logs, taskWith }) {
      await taskWith(['something']);
      expect(await logs.read({ taskArn: anArn(), container: 'main', after: null })).toEqual({ kind: 'none' });
    },
  },
];

const anArn = () => asTaskArn(`arn:aws:ecs:${REGION}:000000000000:task/engines/${randomUUID().replaceAll('-', '')}`);

const cases: readonly EngineCase[] = CASES.map((each) => ({
  name: each.name,
  async run(endpoint) {
    const client = asSigned(createLogsClient({ region: REGION, endpoint }), 'logs');
    const group = `${GROUP}/${randomUUID()}`;
    try {
      await client.send(new CreateLogGroupCommand({ logGroupName: group }));
      await each.run({
        logs: createCloudwatchLogs({ calls: sdkLogsCalls(client), logGroup: group }),
        async taskWith(lines) {
          const taskArn = anArn();
          const stream = { logGroupName: group, logStreamName: `muster/main/${taskArn.slice(-32)}` };
          await client.send(new CreateLogStreamCommand(stream));
          const now = Date.now() - lines.length;
          for (let from = 0; from < lines.length; from += 5_000) {
            const logEvents = lines
              .slice(from, from + 5_000)
              .map((message, nth) => ({ message, timestamp: now + from + nth }));
            await client.send(new PutLogEventsCommand({ ...stream, logEvents }));
          }
          return taskArn;
        },
      });
    } finally {
      client.destroy();
    }
  },
}));

for (const engine of ['moto', 'ministack'] as const) describeEngine('logs', engine, cases);
