import { isStopped } from './board.ts';
import { type IndexRecord, isInherited } from './index-record.ts';
import { type Status, isEnding, isOver } from './status.ts';

/** What an index is doing, as a viewer sees it. */
export const SHOWN_STATES = [
  'waiting',
  'starting',
  'running',
  'stopping',
  'retrying',
  'failed',
  'succeeded',
  'inherited',
  'excluded',
  'held',
  'cancelled',
] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** What a record shows. An index that a user has given up shows as excluded: the board does not tell these two apart. */
export function shownState(record: IndexRecord, { phase }: Pick<Status, 'phase'>): ShownState {
  if (isInherited(record)) return 'inherited';
  const { state, failures, ignored } = record;
  const isStopping = isStopped(record) || isEnding(phase);
  switch (state) {
    case 'succeeded':
    case 'failed':
    case 'excluded':
      return state;
    case 'pending':
      if (record.held && !isOver(phase)) return 'held';
      if (failures + ignored === 0) return 'waiting';
      return isOver(phase) ? 'failed' : 'retrying';
    case 'waiting':
      return 'retrying';
    case 'claimed':
    case 'launched':
      return isStopping ? 'stopping' : 'starting';
    case 'running':
      return isStopping ? 'stopping' : 'running';
  }
}
