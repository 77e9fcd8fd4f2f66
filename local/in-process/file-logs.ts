import { LOG_STREAM_PREFIX } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import type { TaskArn } from '../../shared/domain/base/ids.ts';
import type { LogLine, LogReader } from '../../shared/ports/log-reader.ts';
import type { Logs } from '../logs/create-logs.ts';
import type { PrintedLine } from '../logs/log-stream.ts';
import type { StreamName } from '../logs/stream-files.ts';
import { nextTurn } from './next-turn.ts';

/**
 * {@link LogReader} for the files that containers print into. CloudWatch Logs would lose blank lines and what is not UTF-8, and
 * would add line ends; this loses nothing.
 */
export function createFileLogs({
  logs,
  logGroup,
}: {
  readonly logs: Pick<Logs, 'read'>;
  readonly logGroup: string;
}): LogReader {
  const streamOf = (taskArn: TaskArn, container: string): StreamName => ({
    group: logGroup,
    stream: `${LOG_STREAM_PREFIX}/${container}/${taskArn.slice(taskArn.lastIndexOf('/') + 1)}`,
  });
  return {
    polls: POLLS,
    async read({ taskArn, container, after }) {
      await nextTurn();
      const page = logs.read(streamOf(taskArn, container), { from: Number(after ?? 0) }, Number.POSITIVE_INFINITY);
      if (page === null) return { kind: 'none' };
      return {
        kind: 'lines',
        lines: page.lines.map((line) => new FileLine(line)),
        next: String(page.end),
        isComplete: page.isComplete,
      };
    },
    async readBack({ taskArn, container, before, linesMax = Number.POSITIVE_INFINITY }) {
      await nextTurn();
      const to = before === null ? 'end' : Number(before);
      const page = logs.read(streamOf(taskArn, container), { to }, linesMax);
      if (page === null) return { kind: 'none' };
      const lines = page.lines.map((line) => new FileLine(line));
      return { kind: 'lines', lines, next: String(page.end), previous: String(page.start) };
    },
  };
}

/** A look takes some 50 microseconds. */
const POLLS = { firstMs: 100, mostMs: 250 } as const;

const NEWLINE = 0x0a;

/** Its text is made when it is asked for: a log is mostly sent as it is. */
class FileLine implements LogLine {
  readonly atMs: number;
  readonly nanos: number;
  readonly bytes: Buffer;
  readonly continues?: 'surely';

  constructor({ atMs, nanos, bytes, continues }: PrintedLine) {
    this.atMs = atMs;
    this.nanos = nanos;
    this.bytes = bytes;
    if (continues) this.continues = 'surely';
  }

  get text(): string {
    return this.bytes.toString('utf8', 0, this.bytes.length - (this.bytes.at(-1) === NEWLINE ? 1 : 0));
  }
}
