import { expect, test } from 'vitest';
import { type SeenContainer, decisiveContainer } from '../../../shared/domain/task/decisive-container.ts';

// The texts are those of amazon-ecs-agent (`agent/engine/dependencygraph/graph.go`, `agent/api/errors`), as its issues show them.

const GRAPH = 'CannotStartContainerError: dependency graph: failed to resolve container ordering dependency';
const NO_IMAGE =
  'CannotPullContainerError: pull image manifest has been retried 1 time(s): failed to resolve ref x: not found';
const OOM = 'OutOfMemoryError: Container killed due to memory usage';

const exits = (name: string, exitCode: number, reason?: string): SeenContainer => ({ name, exitCode, reason });
const cannot = (name: string, reason?: string): SeenContainer => ({ name, reason });
/** The agent's 143 for a container that waits for another in vain. */
const inVain = (name: string, needed: string, exitCode: number | null): SeenContainer => ({
  name,
  exitCode: 143,
  reason: `${GRAPH} [${needed}(busybox) (STOPPED->RUNNING)${exitCode === null ? '' : ` - Exit: ${exitCode}`}] for target [${name}(busybox) (NONE->RUNNING)]`,
});

test.each<[string, SeenContainer | null, readonly SeenContainer[], string, (number | null)?, string?]>([
  // what happened                     main                           others                          decides
  ['main ended', exits('main', 3), [exits('side', 9)], 'main', 3],
  ['main ended with 0', exits('main', 0), [exits('side', 9), exits('prepare', 0)], 'main', 0],
  ['init failed', inVain('main', 'prepare', 7), [exits('prepare', 7)], 'prepare', 7],
  [
    'the second of two failed',
    inVain('main', 'second', 5),
    [exits('second', 5), exits('first', 0), exits('proxy', 143)],
    'second',
    5,
  ],
  [
    'the first of two failed: the second waited in vain, too',
    inVain('main', 'second', 143),
    [inVain('second', 'first', 4), exits('first', 4)],
    'first',
    4,
  ],
  ['init was killed for memory', inVain('main', 'prepare', 137), [exits('prepare', 137, OOM)], 'prepare', 137],
  ['init was killed', inVain('main', 'prepare', 137), [exits('proxy', 143), exits('prepare', 137)], 'prepare', 137],
  [
    'others waited in vain beside main',
    inVain('main', 'prepare', 7),
    [inVain('beside', 'prepare', 7), inVain('also', 'prepare', 7), exits('prepare', 7)],
    'prepare',
    7,
  ],
  ['a sidecar could not start', inVain('main', 'proxy', null), [cannot('proxy', NO_IMAGE)], 'proxy', null],
  [
    'a sidecar failed before init did',
    inVain('main', 'prepare', 7),
    [exits('proxy', 1), exits('prepare', 7)],
    'prepare',
    7,
  ],
  ['no image for main', cannot('main', NO_IMAGE), [exits('prepare', 0), exits('proxy', 143)], 'main', null],
  ['no image for init', cannot('main'), [exits('proxy', 143), cannot('prepare', NO_IMAGE)], 'prepare', null],
  ['no image, as only the task says', cannot('main'), [exits('proxy', 143)], 'main', null, NO_IMAGE],
  ['init failed, and main has no reason', cannot('main'), [exits('proxy', 143), exits('prepare', 7)], 'prepare', 7],
  ['init was stopped, as the user asked', cannot('main'), [exits('prepare', 143)], 'prepare', 143],
  ['init ended with 143 by itself', inVain('main', 'prepare', 143), [exits('prepare', 143)], 'prepare', 143],
  [
    'the dependency has another name, or none',
    { name: 'main', exitCode: 143, reason: `${GRAPH} [elsewhere` },
    [exits('proxy', 137), exits('prepare', 7)],
    'prepare',
    7,
  ],
  ['nobody is to blame', inVain('main', 'prepare', 0), [exits('prepare', 0)], 'main', null],
  [
    'two wait for each other',
    inVain('main', 'a', null),
    [inVain('a', 'b', null), inVain('b', 'a', null)],
    'main',
    null,
  ],
  ['main is not shown', null, [exits('proxy', 0), exits('prepare', 7)], 'prepare', 7],
])('%s', (_, main, others, name, exitCode = null, taskReason = 'Essential container in task exited') => {
  for (const order of [others, others.toReversed()]) {
    const decisive = decisiveContainer(main, order, taskReason);
    expect([decisive?.name, decisive?.exitCode ?? null]).toEqual([name, exitCode]);
  }
});

test('nothing to go by', () => expect(decisiveContainer(null, [exits('proxy', 0)])).toBeNull());
