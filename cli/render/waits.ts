import { outlookOf } from '../../shared/domain/pending/wait-words.ts';
import type { JobWaits } from '../client/api-objects.ts';
import { renderTable } from '../text/table.ts';

/** What does not run in a Job, one line per reason; empty if nothing waits. */
export function waitTable({ waits }: Pick<JobWaits, 'waits'>): string {
  if (waits.length === 0) return '';
  return renderTable(
    ['WAITING', 'CAUSE', 'HOW LONG', 'WHY'],
    waits.map(({ count, cause, message, etaSeconds, nextTrySeconds }) => [
      String(count),
      cause,
      outlookOf({ etaMs: inMs(etaSeconds), nextTryMs: inMs(nextTrySeconds) }) || '<unknown>',
      message, // ECS's own message may be long
    ]),
  );
}

const inMs = (sec: number | null): number | null => (sec === null ? null : sec * 1000);
