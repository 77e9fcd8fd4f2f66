import { outlookOf } from '../../shared/domain/wait-words.ts';
import type { JobWaits } from '../api-objects.ts';
import { renderTable } from './table.ts';

/** What of a Job does not run, a line for each reason; empty: nothing waits. */
export function waitTable({ waits }: Pick<JobWaits, 'waits'>): string {
  if (waits.length === 0) return '';
  return renderTable(
    ['WAITING', 'CAUSE', 'HOW LONG', 'WHY'],
    waits.map(({ count, cause, message, etaSeconds, nextTrySeconds }) => [
      String(count),
      cause,
      outlookOf({ etaMs: inMs(etaSeconds), nextTryMs: inMs(nextTrySeconds) }) || '<unknown>',
      message, // ECS's own words may be long
    ]),
  );
}

const inMs = (sec: number | null): number | null => (sec === null ? null : sec * 1000);
