import { expect, test } from 'vitest';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import { type StartDelay, delayText } from '../../../shared/domain/pending/start-delay.ts';
import { waitsOf } from '../../../shared/domain/pending/waits.ts';
import { aBoard, at } from '../../support/a-board.ts';

const room = (ahead: number): StartDelay => ({
  kind: 'room',
  ahead,
  short: [{ what: 'cpu', usedMilli: 2000, totalMilli: 2000 }],
});
const pull: StartDelay = {
  kind: 'pulling',
  image: 'python:3.12',
  progress: { doneBytes: 34e6, totalBytes: 120.4e6 },
};

test.each<[StartDelay, string]>([
  [room(0), 'no room on this machine: 2 of 2 CPUs in use'],
  [room(1), 'no room on this machine: 2 of 2 CPUs in use; 1 task waits before it'],
  [room(3), 'no room on this machine: 2 of 2 CPUs in use; 3 tasks wait before it'],
  [pull, 'pulling python:3.12, 34 of 120 MB'],
  [{ ...pull, progress: null }, 'pulling python:3.12'],
])('%j in words', (delay, words) => {
  expect(delayText(delay)).toBe(words);
});

test('tasks that lack room, or whose image is pulled, are counted apart from those that start', () => {
  const { job, status, stored } = aBoard('llll');
  const waiting = { spec: job.spec, status, board: new WorkingBoard(status, stored), hasNames: false, waitedFor: [] };
  const pace = { now: at(5), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };
  const brief = (delays: readonly StartDelay[]) =>
    waitsOf({ ...waiting, delays }, pace).map(({ cause, count }) => `${count} ${cause}`);
  expect(brief([room(0), room(1), pull])).toEqual(['2 room', '1 pulling', '1 starting']);
  expect(brief([])).toEqual(['4 starting']);
});
