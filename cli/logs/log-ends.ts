import type { FailedAttempt, LogEnd } from '../../shared/domain/failures/failure-kinds.ts';
import { ApiFailure } from '../shell/failure.ts';
import { type KubeClient, podsPath } from '../client/kube-client.ts';
import { lineParts } from './line-parts.ts';

/** How many logs are read concurrently: each takes a round trip and mostly waits. */
const READ_AT_ONCE = 8;
/** Lines read from the end of a log, so that some are left when the blank ones are dropped. */
const LINES_READ = 20;
/** What is kept of a line. */
const LINE_BYTES_MAX = 16 * 1024;

/**
 * The ends of these attempts' logs, by Pod. A log that cannot be read, because its attempt is no longer remembered or there is
 * too much to do, is not in the answer.
 *
 * @param lines how many of each to keep, at least one
 * @param onRead called after each
 */
export async function readLogEnds(
  attempts: readonly FailedAttempt[],
  {
    namespace,
    lines,
    client,
    signal,
  }: {
    readonly namespace: string;
    readonly lines: number;
    readonly client: KubeClient;
    readonly signal: AbortSignal;
  },
  onRead: (read: number) => void,
): Promise<ReadonlyMap<string, LogEnd>> {
  const ends = new Map<string, LogEnd>();
  const left = attempts[Symbol.iterator]();
  let read = 0;
  const worker = async (): Promise<void> => {
    for (const { pod, container } of left) {
      const query = { tailLines: Math.max(LINES_READ, lines), container: container ?? undefined };
      const end = await endOf(client.bytes(`${podsPath(namespace, pod)}/log`, query, signal), lines);
      if (end !== null) ends.set(pod, end);
      onRead(++read);
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, worker));
  return ends;
}

/** null: it cannot be read. */
async function endOf(log: AsyncIterable<Uint8Array>, lines: number): Promise<LogEnd | null> {
  const kept: string[] = [];
  try {
    for await (const { bytes, isStart } of lineParts(log)) {
      const line = isStart ? Buffer.from(bytes).toString('utf8', 0, LINE_BYTES_MAX) : '';
      if (line.trim() !== '') kept.push(line.trimEnd());
    }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    // The answer says why it has none.
    return error.status.code === 400 ? [] : null;
  }
  return kept.slice(-lines);
}
