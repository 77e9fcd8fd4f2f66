import { expect, test } from 'vitest';
import { afterOutage } from '../../../shared/domain/planner/after-outage.ts';
import { type Situation, aBoard, after, at, brief, plan, wakeSec } from '../../support/a-board.ts';

const outage = (situation: Situation, sec: number): Situation => ({
  ...situation,
  status: afterOutage(situation.status, at(sec)),
});

test.each([
  // board      plan after all messages were lost   because
  ['S c c .', 'running, launch 1 2', 'claims whose messages were lost are sent again at once'],
  ['S r r .', 'running', 'what runs is not started again'],
])('%s → %s: %s', (strip, expected) => {
  expect(brief(plan(aBoard(strip), [], 5))).toBe('nothing changes');
  expect(brief(plan(outage(aBoard(strip), 5), [], 5))).toBe(expected);
});

test('a pass does not wait for alarms from before the outage', () => {
  const board = aBoard('S r r .');
  const [alarm] = board.status.alarms;
  expect(alarm).toBeGreaterThan(at(5));
  expect(wakeSec(plan(board, [], 5))).toBeNull(); // it is expected to ring
  const again = plan(outage(board, 5), [], 5);
  expect(at(wakeSec(again)!)).toBe(alarm);
  expect(wakeSec(plan(after(board, again), [], 6))).toBeNull(); // and is set once
});
