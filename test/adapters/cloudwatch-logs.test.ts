import { expect, test } from 'vitest';
import { createCloudwatchLogs } from '../../shared/adapters/aws/logs/cloudwatch-logs.ts';
import { createLogsClient, sdkLogsCalls } from '../../shared/adapters/aws/logs/sdk-logs-calls.ts';
import { asTaskArn } from '../../shared/domain/base/ids.ts';
import { refusal, scriptedAws } from './scripted-aws.ts';

test('lines are read page by page from the stream that the awslogs driver writes', async () => {
  const aws = await scriptedAws((_, nth) =>
    nth === 3
      ? refusal('ResourceNotFoundException', 'The specified log stream does not exist.')
      : { status: 200, body: { events: [{ timestamp: nth, message: `line ${nth}` }], nextForwardToken: `f/${nth}` } },
  );
  const logs = createCloudwatchLogs({
    calls: sdkLogsCalls(createLogsClient(aws.connection)),
    logGroup: '/muster/tasks',
  });
  const page = { taskArn: asTaskArn('arn:aws:ecs:r:1:task/jobs/0f0f'), container: 'main' };

  const first = await logs.read({ ...page, after: null });
  expect(first).toEqual({ kind: 'lines', lines: [{ atMs: 1, text: 'line 1' }], next: 'f/1' });
  expect(await logs.read({ ...page, after: 'f/1' })).toMatchObject({ kind: 'lines', next: 'f/2' });
  expect(await logs.read({ ...page, after: null })).toEqual({ kind: 'none' });
  const stream = { logGroupName: '/muster/tasks', logStreamName: 'muster/main/0f0f', startFromHead: true };
  expect(aws.calls.map(({ input }) => input)).toEqual([stream, { ...stream, nextToken: 'f/1' }, stream]);
  await aws.stop();
});

test('a throttle means later, not that the log has ended', async () => {
  const aws = await scriptedAws(() => refusal('ThrottlingException', 'Rate exceeded'));
  const logs = createCloudwatchLogs({
    calls: sdkLogsCalls(createLogsClient(aws.connection)),
    logGroup: '/muster/tasks',
  });
  const page = { taskArn: asTaskArn('arn:aws:ecs:r:1:task/jobs/0f0f'), container: 'main', after: 'f/1' };
  expect(await logs.read(page)).toEqual({ kind: 'later' });
  await aws.stop();
});

test('the newest lines are read back page by page, and what follows them forwards', async () => {
  const aws = await scriptedAws((_, nth) =>
    nth === 4
      ? refusal('ResourceNotFoundException', 'The specified log stream does not exist.')
      : {
          status: 200,
          body: {
            events: [{ timestamp: nth, message: `line ${nth}` }],
            nextForwardToken: `f/${nth}`,
            nextBackwardToken: `b/${nth}`,
          },
        },
  );
  const logs = createCloudwatchLogs({
    calls: sdkLogsCalls(createLogsClient(aws.connection)),
    logGroup: '/muster/tasks',
  });
  const page = { taskArn: asTaskArn('arn:aws:ecs:r:1:task/jobs/0f0f'), container: 'main' };

  const last = await logs.readBack({ ...page, before: null });
  expect(last).toEqual({ kind: 'lines', lines: [{ atMs: 1, text: 'line 1' }], next: 'f/1', previous: 'b/1' });
  expect(await logs.readBack({ ...page, before: 'b/1' })).toMatchObject({ previous: 'b/2' });
  expect(await logs.read({ ...page, after: 'f/1' })).toMatchObject({ next: 'f/3' });
  expect(await logs.readBack({ ...page, before: null })).toEqual({ kind: 'none' });
  const stream = { logGroupName: '/muster/tasks', logStreamName: 'muster/main/0f0f', startFromHead: false };
  expect(aws.calls.map(({ input }) => input)).toEqual([
    stream,
    { ...stream, nextToken: 'b/1' },
    { ...stream, startFromHead: true, nextToken: 'f/1' },
    stream,
  ]);
  await aws.stop();
});

test('no more of the newest lines are requested than are needed', async () => {
  const aws = await scriptedAws(() => ({ status: 200, body: { events: [] } }));
  const logs = createCloudwatchLogs({
    calls: sdkLogsCalls(createLogsClient(aws.connection)),
    logGroup: '/muster/tasks',
  });
  const taskArn = asTaskArn('arn:aws:ecs:r:1:task/jobs/0f0f');
  await logs.readBack({ taskArn, container: 'main', before: null, linesMax: 20 });
  expect(aws.calls.map(({ input }) => input)).toMatchObject([{ startFromHead: false, limit: 20 }]);
  await aws.stop();
});
