import { expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { podChanges } from '../../../shared/domain/scoreboard/journal.ts';
import type { Phase } from '../../../shared/domain/scoreboard/status.ts';
import { type Wish, aBoard, at, cancelled, deleted, ended, exited, plan } from '../../support/a-board.ts';

// A Pod that the controller or a user deletes is gone when it ends, whatever its end counts as. A Pod that ended by
// itself before stays. r running, R asked to stop, D its Pod was deleted, c claimed, b between two tasks.

const COMPLETE = { kind: 'complete', reason: 'SuccessPolicy', message: '', decidedBy: null } as const;
const FAILED = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null } as const;
const suspended: Phase = { kind: 'suspended', since: at(0) };
const succeeding: Phase = { kind: 'draining', verdict: COMPLETE, since: at(0) };
const failing: Phase = { kind: 'draining', verdict: FAILED, since: at(0) };
const running: Phase = { kind: 'running' };

type Row = readonly [strip: string, phase: Phase, fact: Fact | null, shown: string, wish: Partial<Wish>];
const perIndex = { backoffLimitPerIndex: 0 };

test.each<Row>([
  ['r r', running, exited(0, 0), 'succeeded', {}],
  ['r r', running, exited(0, 1), 'pending', {}],
  ['r r', running, exited(0, 1), 'failed', perIndex],
  ['r r', running, ended(0, 'Stopped'), 'pending', {}],
  ['r r', running, ended(0, 'Spot'), 'pending', {}],
  // suspended
  ['r r', suspended, ended(0, 'Stopped'), 'gone', {}],
  ['r r', suspended, exited(0, 0), 'gone', {}],
  ['r r', suspended, exited(0, 1), 'gone', {}],
  ['r r', suspended, exited(0, 1), 'gone', perIndex],
  ['c r', suspended, cancelled(0), 'gone', {}],
  ['b r', suspended, null, 'gone', {}],
  // scaled down
  ['R r', running, ended(0, 'Stopped'), 'gone', {}],
  ['R r', running, exited(0, 0), 'gone', {}],
  // its success policy is met, or it fails
  ['r r', succeeding, ended(0, 'Stopped'), 'gone', {}],
  ['r r', succeeding, exited(0, 0), 'gone', {}],
  ['r r', failing, ended(0, 'Stopped'), 'gone', {}],
  ['r r', failing, exited(0, 3), 'gone', {}],
  ['b r', failing, null, 'gone', {}],
  // a user
  ['D r', running, ended(0, 'Stopped'), 'gone', {}],
  ['D r', running, exited(0, 0), 'gone', {}],
  ['b r', running, deleted(0), 'gone', {}],
])('%s, %o, %o → %s', (strip, phase, fact, shown, wish) => {
  const board = aBoard(strip, { phase, suspend: phase.kind === 'suspended', ...wish });
  const planned = plan(board, fact === null ? [] : [fact]);
  const { status } = planned;
  const change = status === null ? undefined : podChanges(status.journal, 0).find(({ index }) => index === 0);
  expect(change?.state).toBe(shown);
  // Its record has this, too, for readers that do not use the feed.
  const records = fact?.kind === 'stopped' ? [shown === 'gone'] : [];
  expect(planned.ended.map(({ gone }) => gone === true)).toEqual(records);
});
