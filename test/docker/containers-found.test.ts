import { describe, expect, test } from 'vitest';
import { EngineError } from '../../local/docker/engine.ts';
import { type EngineContainer, endOf } from '../../local/docker/found-container.ts';
import { idleProgram } from '../../local/docker/idle-program.ts';
import { startEnd } from '../../local/docker/starter.ts';
import { UnstartableError } from '../../local/docker/unstartable.ts';

const NOW = 1_000_000;
const ended: EngineContainer = {
  id: 'c',
  state: 'ended',
  startedAtMs: NOW - 9_000,
  endedAtMs: NOW - 1_000,
  exitCode: 0,
  isOutOfMemory: false,
  stopSignal: 'SIGTERM',
};

describe('how a container ended', () => {
  test('its own end counts, with the words of Fargate for memory', () => {
    expect(endOf('main', ended, null, NOW)).toEqual({ kind: 'exited', exitCode: 0, atMs: NOW - 1_000 });
    expect(endOf('main', { ...ended, exitCode: 137, isOutOfMemory: true }, null, NOW)).toEqual({
      kind: 'exited',
      exitCode: 137,
      atMs: NOW - 1_000,
      reason: 'OutOfMemoryError: Container killed due to memory usage',
    });
    expect(endOf('main', { ...ended, exitCode: 143 }, null, NOW)).toMatchObject({ kind: 'exited', exitCode: 143 });
  });

  test.each(['engine', 'somebody'] as const)('an end that the %s made says nothing, not even with 0', (by) => {
    expect(endOf('main', ended, by, NOW)).toMatchObject({ kind: 'lost', atMs: NOW - 1_000 });
  });

  test('one that is gone is lost, and a clock ahead of ours counts as ours', () => {
    expect(endOf('main', null, null, NOW)).toMatchObject({ kind: 'lost', atMs: NOW });
    expect(endOf('main', { ...ended, endedAtMs: NOW + 60_000 }, null, NOW)).toMatchObject({ atMs: NOW });
  });
});

describe('why a container cannot start', () => {
  test('what the engine refuses is the fault of the task', () => {
    expect(startEnd('main', new EngineError('exec: "x": not found', 400), NOW)).toEqual({
      kind: 'unstartable',
      reason: 'CannotStartContainerError: Error response from daemon: exec: "x": not found',
      atMs: NOW,
    });
    expect(startEnd('main', new UnstartableError('CannotPullContainerError: no'), NOW)).toMatchObject({
      kind: 'unstartable',
    });
  });

  test('what the engine fails at is not', () => {
    expect(startEnd('main', new EngineError('containerd is gone', 500), NOW)).toMatchObject({ kind: 'lost' });
  });
});

test.each([
  ['amd64', 62],
  ['arm64', 183],
] as const)('the program that waits is a static ELF file for %s', (architecture, machine) => {
  const program = idleProgram(architecture);
  expect(program.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  expect(program.readUInt16LE(18)).toBe(machine);
  expect(program.readBigUInt64LE(24)).toBe(0x400000n + 120n); // begins behind both headers
  expect(program.readBigUInt64LE(64 + 32)).toBe(BigInt(program.length)); // and is loaded whole
});
