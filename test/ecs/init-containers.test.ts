import { expect, test } from 'vitest';
import { createEcs } from '../../local/ecs/create-ecs.ts';
import type { SimulatedTask } from '../../local/ecs/driver/simulated-driver.ts';
import type { EcsTaskEvent } from '../../local/ecs/task-event.ts';
import { AlarmHeap } from '../../local/ecs/timers.ts';
import { MAIN_VARIABLE } from '../../shared/domain/task/launch-overrides.ts';
import { parseTask } from '../../shared/schema/messages/ecs-task.ts';
import { container } from './task-server.ts';

const NO_IMAGE =
  'CannotPullContainerError: pull image manifest has been retried 1 time(s): failed to resolve ref x: not found';
const NO_PROGRAM = 'CannotStartContainerError: serve: command not found';
const needs = (containerName: string, condition: 'SUCCESS' | 'START') => ({ containerName, condition });

/** A Pod with two init containers, a sidecar between them, and one container beside the main one, in any order. */
const CONTAINERS = [
  container('beside', { essential: false, dependsOn: [needs('second', 'SUCCESS'), needs('proxy', 'START')] }),
  container('main', { dependsOn: [needs('second', 'SUCCESS'), needs('proxy', 'START')] }),
  container('second', { essential: false, dependsOn: [needs('first', 'SUCCESS'), needs('proxy', 'START')] }),
  container('proxy', { essential: false, dependsOn: [needs('first', 'SUCCESS')] }),
  container('first', { essential: false }),
];

/** How ECS reports the end of such a task, read as in production. */
async function endOf(outcomes: Readonly<Record<string, SimulatedTask>>) {
  const alarms = new AlarmHeap();
  let nowMs = Date.UTC(2026, 10, 20);
  const timers = {
    now: () => nowMs,
    after(delayMs: number, run: () => void) {
      const alarm = alarms.set(nowMs + delayMs, run);
      return () => {
        alarm.run = null;
      };
    },
    close: () => undefined,
  };
  const events: EcsTaskEvent[] = [];
  const decide = ({ container: name }: { readonly container: string }): SimulatedTask => outcomes[name] ?? {};
  const ecs = createEcs({
    driver: { kind: 'simulated', script: { decide } },
    timers,
    onEvent: async (event) => {
      events.push(event);
      return Promise.resolve();
    },
  });
  await ecs.start();
  ecs.api.RegisterTaskDefinition({ family: 'job', cpu: '256', memory: '512', containerDefinitions: CONTAINERS });
  ecs.api.RunTask({
    taskDefinition: 'job',
    group: 'muster:7:2:0',
    startedBy: 'uid',
    overrides: {
      containerOverrides: CONTAINERS.map(({ name }) => ({
        name,
        environment: name === 'main' ? [{ name: MAIN_VARIABLE, value: name }] : [],
      })),
    },
  });
  for (let step = 0; step < 100; step++) alarms.ring((nowMs += 100));
  await ecs.idle();
  const last = events.find(({ detail }) => detail.lastStatus === 'STOPPED');
  const ending = parseTask(last?.detail, 'muster:')?.ending;
  return [ending?.cause, ending?.exitCode, ending?.container];
}

test.each<[string, Record<string, SimulatedTask>, readonly (string | number | null)[]]>([
  ['all is well', {}, ['Completed', 0, 'main']],
  ['the main container fails', { main: { exitCode: 3 } }, ['Error', 3, 'main']],
  ['the first init container fails', { first: { exitCode: 7 } }, ['Error', 7, 'first']],
  [
    'the second does, and the sidecar is stopped',
    { second: { exitCode: 5 }, proxy: { runMs: Infinity } },
    ['Error', 5, 'second'],
  ],
  ['the sidecar fails, and the main container runs', { proxy: { exitCode: 9 } }, ['Completed', 0, 'main']],
  ['the sidecar has no image', { proxy: { unstartable: NO_IMAGE } }, ['StartFailed', null, null]],
  ['the first init container has no program', { first: { unstartable: NO_PROGRAM } }, ['Error', 128, 'first']],
  [
    'the main container has no image',
    { main: { unstartable: NO_IMAGE }, proxy: { runMs: Infinity } },
    ['StartFailed', null, null],
  ],
  ['what runs beside it has no image', { beside: { unstartable: NO_IMAGE } }, ['Completed', 0, 'main']],
])('%s', async (_, outcomes, expected) => expect(await endOf(outcomes)).toEqual(expected));
