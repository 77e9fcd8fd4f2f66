import { isDeepStrictEqual } from 'node:util';
import { hasPod } from '../../../shared/domain/scoreboard/index-record.ts';
import { type Status, tally } from '../../../shared/domain/scoreboard/status.ts';
import { type Transition, isBesideBoard } from '../../../shared/domain/scoreboard/transition.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { isOwn } from '../../../shared/domain/manifests/job.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Forbid } from './law.ts';
import type { ShadowBoard } from './shadow.ts';
import type { Sights } from './sights.ts';

// Steps that change only what users see of a Pod.

type Seen = {
  readonly board: ShadowBoard;
  readonly status: Status;
  readonly removed: Set<string>;
  readonly sights: Sights;
};

/** A Pod that lingers is still being stopped; one that is removed has ended, and is removed once. */
export function checkShownStep({ board, status, removed, sights }: Seen, step: Transition, forbid: Forbid): void {
  const { op, index, attempt } = step;
  const key = `${index}/${attempt}`;
  const shadow = board.at(index);
  const isReplaced = status.replacedTasks.some((each) => each.index === index && each.attempt === attempt);
  const isLive = attempt > shadow.attempt || (attempt === shadow.attempt && hasPod(shadow.state));
  forbid(isLive, 'G14', () => `Pod ${key}, which is ${shadow.state}, is shown as over (${op})`);
  forbid(
    isReplaced !== (op === 'lingers'),
    'G14',
    () => `${op} of Pod ${key}, whose task ${isReplaced ? 'stops' : 'does not'}`,
  );
  forbid(removed.has(key), 'G14', () => `Pod ${key} is removed, and then ${op}`);
  if (op !== 'removed') return;
  removed.add(key);
  sights.see('removed');
}

/** A user has removed Pods: a commit of nothing else. */
export const isRemoval = (before: Status, status: Status, fresh: readonly Transition[]): boolean =>
  fresh.length > 0 &&
  fresh.every(({ op }) => op === 'removed') &&
  before.replacedTasks.length === status.replacedTasks.length;

/** It counts nothing and decides nothing, and a pass follows. */
export function checkRemoval(before: Status, status: Status, now: number, forbid: Forbid): void {
  forbid((status.alarms[0] ?? Infinity) > now + 60_000, 'G8', () => 'no pass follows');
  const [was, is] = [before, status].map((each) => plainOf(each));
  const changed = Object.keys({ ...was, ...is }).filter((field) => !isDeepStrictEqual(was?.[field], is?.[field]));
  forbid(changed.length > 0, 'G2', () => `Pods that have ended are removed, and that changes ${changed.join(', ')}`);
}

/** As it would be stored, without what any commit changes. */
function plainOf({ version: _, alarms: __, journal, ...rest }: Status): Record<string, unknown> {
  const steps = journal.entries.filter(({ transition: { op } }) => !isBesideBoard(op));
  return JSON.parse(JSON.stringify({ ...rest, steps })) as Record<string, unknown>;
}

/** A Job that may start is stored with its first Pods, so nobody sees it without. */
export function checkFirstPods({ manifest }: StoredSpec, { phase, chunks, inFlight }: Status, forbid: Forbid): void {
  const { annotations = {} } = manifest.metadata;
  const { parallelism, activeDeadlineSeconds } = manifest.spec;
  // Some of its indexes, or all, may have to wait, or its time may be over.
  const mayWait = [ANNOTATIONS.gang, ANNOTATIONS.afterIndexes, ANNOTATIONS.killAt].some(
    (each) => annotations[each] !== undefined,
  );
  const { pending, starting } = tally(chunks);
  const isOver = activeDeadlineSeconds === 0;
  const mayStart = phase.kind === 'running' && isOwn(manifest) && parallelism > 0 && pending + starting > 0 && !isOver;
  forbid(
    mayStart && !mayWait && inFlight.length === 0,
    'G14',
    () => `a Job that may run ${Math.min(parallelism, pending)} Pods is stored without any`,
  );
}
