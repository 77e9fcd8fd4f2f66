import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DescribeTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, test } from 'vitest';
import { createEcsClients } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { scriptedAws } from '../adapters/scripted-aws.ts';
import { envelopeFaults, taskEventFaults } from './event-faults.ts';
import { HAS_MODELS, type Shape } from './service-model.ts';
import { shapeFaults } from './shape-faults.ts';
import { checkWire } from './wire-check.ts';

if (!HAS_MODELS) console.warn('\n  NOT TESTED: what AWS’s service models say, since .ci/install-engines has not run\n');

const SHAPES: Readonly<Record<string, Shape>> = {
  Name: { type: 'string', min: 2, max: 4, pattern: '^[a-z]+$' },
  Size: { type: 'integer', min: 1, max: 10 },
  Kind: { type: 'string', enum: ['A', 'B'] },
  Names: { type: 'list', member: { shape: 'Name' }, min: 1, max: 2 },
  Sizes: { type: 'map', key: { shape: 'Name' }, value: { shape: 'Size' }, max: 1 },
  Data: { type: 'blob', max: 3 },
  Time: { type: 'timestamp' },
  Flag: { type: 'boolean' },
  Share: { type: 'double' },
  Either: { type: 'structure', union: true, members: { S: { shape: 'Name' }, N: { shape: 'Size' } } },
  Whole: {
    type: 'structure',
    required: ['name'],
    members: Object.fromEntries(
      ['Name', 'Size', 'Kind', 'Names', 'Sizes', 'Data', 'Time', 'Flag', 'Share', 'Either'].map((shape) => [
        shape.toLowerCase(),
        { shape },
      ]),
    ),
  },
};

test.each<[object, string[]]>([
  [{ name: 'ab', size: 1, kind: 'A', names: ['abc'], sizes: { ab: 10 }, data: 'YWJj', time: 1.5, flag: false }, []],
  [{ name: 'ab', share: 0.5, either: { N: 3 } }, []],
  [{}, ['name: is required']],
  [{ name: 'ab', other: 1 }, ['other: is no member']],
  [{ name: null }, ['name: is no string']],
  [{ name: 'a' }, ['name: 1 characters, at least 2']],
  [{ name: 'ABCDE' }, ['name: 5 characters, at most 4', 'name: ABCDE does not match ^[a-z]+$']],
  [{ name: 'ab', size: 0 }, ['size: 0, at least 1']],
  [{ name: 'ab', size: '1' }, ['size: is no integer']],
  [{ name: 'ab', size: 1.5 }, ['size: is no integer']],
  [{ name: 'ab', kind: 'C' }, ['kind: C is not in the enum']],
  [{ name: 'ab', names: [] }, ['names: 0 elements, at least 1']],
  [{ name: 'ab', names: ['ab', 'x'] }, ['names[1]: 1 characters, at least 2']],
  [{ name: 'ab', names: {} }, ['names: is no list']],
  [{ name: 'ab', sizes: { x: 11 } }, ['sizes{x}: 1 characters, at least 2', 'sizes.x: 11, at most 10']],
  [{ name: 'ab', sizes: { ab: 1, cd: 2 } }, ['sizes: 2 entries, at most 1']],
  [{ name: 'ab', data: 'YWJjZA==' }, ['data: 4 bytes, at most 3']],
  [{ name: 'ab', data: '*' }, ['data: is no base64']],
  [{ name: 'ab', time: '2026-11-20T00:00:00Z' }, ['time: is no number of seconds']],
  [{ name: 'ab', flag: 'true' }, ['flag: is no boolean']],
  [{ name: 'ab', share: '1' }, ['share: is no number']],
  [{ name: 'ab', either: { S: 'ab', N: 1 } }, ['either: has 2 members of a union']],
])('%j', (value, faults) => {
  expect(shapeFaults({ shapes: SHAPES }, 'Whole', value)).toEqual(faults);
});

describe.runIf(HAS_MODELS)('as AWS has published it', () => {
  test('a call that breaks its model is found, whichever side breaks it', async () => {
    const told: string[] = [];
    const answers = [
      { status: 200, body: { tasks: [{ taskArn: 'arn', cpu: 256, color: 'red' }], failures: [] } },
      { status: 400, body: { __type: 'NoSuchException', message: 'no' } },
      { status: 400, body: { __type: 'ClientException', message: 'no' } },
    ];
    const aws = await scriptedAws((_, nth) => answers[nth - 1] ?? null);
    const { launching } = createEcsClients(aws.connection);
    checkWire(launching, 'both', (fault) => told.push(fault));
    await launching.send(new RunTaskCommand({ taskDefinition: 'job', launchType: 'MOON' as never, clientToken: 'a' }));
    await expect(launching.send(new DescribeTasksCommand({ tasks: ['a'] }))).rejects.toThrow('no');
    await expect(launching.send(new DescribeTasksCommand({ tasks: ['a'] }))).rejects.toThrow('no');
    launching.destroy();
    await aws.stop();
    expect(told).toEqual([
      'ecs:RunTask request: launchType: MOON is not in the enum',
      'ecs:RunTask answer: tasks[0].color: is no member',
      'ecs:RunTask answer: tasks[0].cpu: is no string',
      'ecs:DescribeTasks answer: NoSuchException is none of its errors',
    ]);
  });

  const folder = join(import.meta.dirname, '../fixtures/ecs-events');
  test.each(readdirSync(folder))('%s is an event of ECS', (name) => {
    const event = JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
    expect(taskEventFaults(event)).toEqual([]);
    expect(taskEventFaults({ ...event, source: 'aws.s3', id: 'x' })).toHaveLength(2);
  });
});

test.each(['eventbridge-own', 'eventbridge-other', 's3-through-eventbridge'])(
  '%s has the envelope of events',
  (name) => {
    const text = readFileSync(join(import.meta.dirname, `../fixtures/submissions/${name}.json`), 'utf8');
    expect(envelopeFaults(JSON.parse(text))).toEqual([]);
  },
);
