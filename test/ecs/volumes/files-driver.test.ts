import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ContainerRun, Reports } from '../../../local/ecs/driver/driver.ts';
import { FilesDriver, volumesWithFiles } from '../../../local/ecs/driver/files-driver.ts';
import { simulatedDriver } from '../../../local/ecs/driver/simulated-driver.ts';
import { TaskFiles } from '../../../local/ecs/driver/task-files.ts';
import { VolumeFolders } from '../../../local/ecs/driver/volume-folders.ts';
import { memorySecretCopies } from '../../../local/ecs/secret-copies.ts';
import type { ContainerEnd } from '../../../local/ecs/task-life.ts';
import type { TaskRecord } from '../../../local/ecs/task-record.ts';
import { objectReference } from '../../../shared/names/secrets.ts';
import { handClock } from '../hand-clock.ts';

const ID = 'a'.repeat(32);
const PLACE = { partition: 'aws', region: 'us-east-1', account: '000000000000' };
const DB = { namespace: 'default', name: 'db' };

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'muster-files-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A driver on the same folder each time, as after a restart, and what it has reported. */
function aDriver() {
  const timers = handClock();
  const reported: (readonly [what: string, container: string, end?: ContainerEnd])[] = [];
  const reports: Reports = {
    started: (_, container) => void reported.push(['started', container]),
    ended: (_, container, end) => void reported.push(['ended', container, end]),
    interrupted: () => undefined,
  };
  const copies = memorySecretCopies();
  copies.put(DB, '1', new Map([['key', 'horse']]));
  const files = new TaskFiles(join(dir, 'tasks'), () => Date.now());
  const volumes = new VolumeFolders(join(dir, 'volumes'));
  const secrets = { dir, copies };
  const options = { files, volumes, secrets, tokens: null, logsDir: join(dir, 'logs'), timers, reports };
  mkdirSync(files.folder(ID), { recursive: true });
  return { driver: new FilesDriver(simulatedDriver({}, timers, reports), options), reported, timers };
}

const aRun = (plan: readonly string[], overrides: TaskRecord['overrides'] = {}): ContainerRun => ({
  task: { id: ID, startedBy: 'job', group: 'muster:0:1:0', overrides, stop: null } as unknown as TaskRecord,
  container: {
    name: 'muster-files',
    image: 'busybox',
    essential: false,
    environment: [
      { name: 'MUSTER_FILES', value: plan.join('\n') },
      { name: 'MUSTER_FILE_0', value: 'text' },
    ],
    secrets: [{ name: 'MUSTER_FILE_1', valueFrom: objectReference(PLACE, { ...DB, key: 'key', version: '1' }) }],
    mountPoints: [{ sourceVolume: 'conf', containerPath: '/muster/conf' }],
    logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'g', 'awslogs-stream-prefix': 'p' } },
  },
});

const turn = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const written = (name: string): string => readFileSync(join(dir, 'volumes/job_0_1/volumes/conf', name), 'utf8');
const plan = ['0 text 0644 conf/known', '1 text 0400 conf/secret', '2 text 0644 conf/late'];
const late = {
  containerOverrides: [{ name: 'muster-files', environment: [{ name: 'MUSTER_FILE_2', value: 'index 7' }] }],
};
const ended = (exitCode: number, more: object = {}) => [
  'ended',
  'muster-files',
  expect.objectContaining({ kind: 'exited', exitCode, ...more }) as unknown,
];

test('files come from the definition, from secrets, and from the launch', async () => {
  const { driver, reported } = aDriver();
  driver.start(aRun(plan, late));
  expect(reported).toEqual([]);
  await turn();
  expect(reported).toEqual([['started', 'muster-files'], ended(0)]);
  expect(['known', 'secret', 'late'].map(written)).toEqual(['text', 'horse', 'index 7']);
});

test('what has been written counts after a restart; what has not is written then', async () => {
  const first = aDriver();
  expect(first.driver.inspect(aRun(plan, late))).toEqual({ kind: 'absent' });
  first.driver.start(aRun(plan, late));
  await first.driver.close();
  await turn();
  expect(first.reported).toEqual([]);
  const second = aDriver();
  expect(second.driver.inspect(aRun(plan, late))).toEqual({ kind: 'absent' });
  second.driver.start(aRun(plan, late));
  await turn();
  expect(aDriver().driver.inspect(aRun(plan, late))).toMatchObject({
    kind: 'ended',
    end: { kind: 'exited', exitCode: 0 },
  });
});

test('what cannot be written ends it with 1, and its log and the task say why, without the content', async () => {
  const { driver, reported } = aDriver();
  driver.start(aRun(plan));
  await turn();
  const reason = 'cannot write conf/late: its content is not set';
  expect(reported).toEqual([['started', 'muster-files'], ended(1, { reason })]);
  expect(readFileSync(join(dir, `logs/g/p%2Fmuster-files%2F${ID}`), 'utf8')).toBe(`muster-files: ${reason}\n`);
  expect(aDriver().driver.inspect(aRun(plan))).toMatchObject({ kind: 'ended', end: { exitCode: 1 } });
});

test('a machine that cannot write now loses the task, which is tried again', async () => {
  const { driver, reported } = aDriver();
  writeFileSync(join(dir, 'volumes'), 'a file where folders should be');
  driver.start(aRun(plan, late));
  await turn();
  expect(reported[1]).toMatchObject(['ended', 'muster-files', { kind: 'lost' }]);
  expect(aDriver().driver.inspect(aRun(plan))).toEqual({ kind: 'absent' });
});

test('a task that is to end writes nothing', async () => {
  const { driver, reported } = aDriver();
  const run = aRun(plan, late);
  driver.start(run);
  driver.signal(run, 'SIGTERM');
  await turn();
  expect(reported).toEqual([['ended', 'muster-files', expect.objectContaining({ kind: 'unstartable' }) as unknown]]);
  expect(() => written('known')).toThrow('ENOENT');
});

test('a secret that is gone keeps it from starting', async () => {
  const { driver, reported } = aDriver();
  const run = aRun(plan, late);
  const secrets = [{ name: 'MUSTER_FILE_1', valueFrom: '/muster/default/configmaps/none/key' }];
  driver.start({ ...run, container: { ...run.container, secrets } });
  await turn();
  expect(reported).toEqual([['ended', 'muster-files', expect.objectContaining({ kind: 'unstartable' }) as unknown]]);
});

test('a container of that name without a plan, and every other, is the driver’s', async () => {
  const { driver, reported, timers } = aDriver();
  const { task, container } = aRun([]);
  driver.start({ task, container: { ...container, environment: [] } });
  driver.start({ task, container: { ...container, name: 'main' } });
  await turn();
  expect(reported).toEqual([]);
  timers.advance(1);
  expect(reported.map(([what, name]) => `${what} ${name}`).sort()).toEqual([
    'ended main',
    'ended muster-files',
    'started main',
    'started muster-files',
  ]);
  expect(volumesWithFiles({ containerDefinitions: [container] })).toEqual(new Set(['conf']));
  expect(volumesWithFiles({ containerDefinitions: [{ ...container, name: 'main' }] })).toEqual(new Set());
});
