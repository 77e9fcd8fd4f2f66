import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AwsError } from '../wire/aws-error.ts';
import { checked } from '../wire/checked.ts';
import type { LogStream, LogsApi, OutputLogEvent } from '../wire/logs-operations.ts';
import { type LinePage, LogFile, type PrintedLine } from './log-stream.ts';
import { type StreamName, groupFolder, streamFile, unescapeName } from './stream-files.ts';

export type LogsOptions = {
  /** the data folder shared with the process driver of ECS; streams are in its `logs/` */
  readonly dataDir: string;
  /** Whether a task (by id) may still print. If it may not, an unterminated last line is shown, too. */
  readonly isLive: (taskId: string) => boolean;
  /** us-east-1 and 000000000000 by default */
  readonly region?: string;
  readonly account?: string;
};

export type Logs = {
  readonly api: LogsApi;
  /** A page of a stream as it was printed, byte for byte; null: there is no such stream. */
  read(
    stream: StreamName,
    where: { readonly from: number } | { readonly to: number | 'end' },
    limit: number,
  ): LinePage | null;
  /**
   * Takes note of how long streams are by now, so that their lines have the time at which they were printed. A call looks at some, and
   * takes no more from `live` than that: the next call goes on with the others, and asks for `live` again after the last.
   */
  look(live: () => Iterable<StreamName>): void;
  /** Deletes streams without output since `beforeMs`, except those of live tasks. Returns the number of deleted streams. */
  prune(beforeMs: number): number;
  /** Deletes the streams of ended tasks (by id), a few at a time, so that the process stays responsive. */
  forget(taskIds: ReadonlySet<string>): Promise<void>;
};

/** Streams that one call looks at: a `stat` each. */
const LOOKED_AT_MAX = 500;
/** Streams whose times are in memory; those of others are read again. */
const OPENED_MAX = 2_000;
/** The most events in an answer (CloudWatch Logs API, GetLogEvents). */
const EVENTS_MAX = 10_000;
/** Files that are deleted together. */
const REMOVED_AT_ONCE = 100;
/** The most streams in an answer of DescribeLogStreams */
const STREAMS_MAX = 50;

const NameSchema = z.string().min(1).max(512);
const TimeSchema = z.number().int().min(0).optional();

const GetSchema = z.object({
  logGroupName: NameSchema.optional(),
  logGroupIdentifier: z.string().optional(),
  logStreamName: NameSchema,
  startTime: TimeSchema,
  endTime: TimeSchema,
  nextToken: z.string().optional(),
  limit: z.number().int().min(1).max(EVENTS_MAX).optional(),
  startFromHead: z.boolean().optional(),
});

const StreamsSchema = z.object({
  logGroupName: NameSchema,
  logStreamNamePrefix: z.string().optional(),
  nextToken: z.string().optional(),
  limit: z.number().int().min(1).max(STREAMS_MAX).optional(),
  descending: z.boolean().optional(),
});

const FilterSchema = z.object({
  logGroupName: NameSchema,
  logStreamNames: z.array(NameSchema).max(100).optional(),
  logStreamNamePrefix: z.string().optional(),
  startTime: TimeSchema,
  endTime: TimeSchema,
  filterPattern: z.string().max(1024).optional(),
  limit: z.number().int().min(1).max(EVENTS_MAX).optional(),
});

/** CloudWatch Logs over the files that the process driver lets containers print into. Read-only and synchronous. */
export function createLogs(options: LogsOptions): Logs {
  const { isLive, region = 'us-east-1', account = '000000000000' } = options;
  const logsDir = join(options.dataDir, 'logs');
  const timesDir = join(options.dataDir, 'log-times');
  const opened = new Map<string, LogFile>();
  let toLookAt: Iterator<StreamName> = [].values();
  const fileOf = (name: StreamName): LogFile => {
    const path = streamFile(logsDir, name);
    const file = opened.get(path) ?? new LogFile(path, streamFile(timesDir, name));
    const [oldest] = opened.keys();
    if (!opened.has(path) && opened.size >= OPENED_MAX && oldest !== undefined) opened.delete(oldest);
    opened.set(path, file);
    return file;
  };
  const open = (group: string, stream: string): LogFile => {
    if (!existsSync(groupFolder(logsDir, group)))
      throw new AwsError('ResourceNotFoundException', 'The specified log group does not exist.');
    if (!existsSync(streamFile(logsDir, { group, stream })))
      throw new AwsError('ResourceNotFoundException', 'The specified log stream does not exist.');
    return fileOf({ group, stream });
  };
  const isComplete = (stream: string): boolean => !isLive(taskIdIn(stream));
  /** The files of complete streams. */
  const completeFiles = (): readonly { readonly stream: string; readonly path: string; readonly times: string }[] =>
    namesIn(logsDir).flatMap((group) =>
      namesIn(groupFolder(logsDir, group))
        .filter(isComplete)
        .map((stream) => ({
          stream,
          path: streamFile(logsDir, { group, stream }),
          times: streamFile(timesDir, { group, stream }),
        })),
    );

  const api: LogsApi = {
    GetLogEvents(input) {
      const request = checked(GetSchema, input);
      const { logStreamName: stream, limit = EVENTS_MAX } = request;
      const group = request.logGroupName ?? groupOfArn(request.logGroupIdentifier);
      const where =
        request.nextToken === undefined
          ? request.startFromHead === true
            ? { from: 0 }
            : { to: 'end' as const }
          : place(request.nextToken);
      const { lines, start, end } = open(group, stream).read(where, limit, isComplete(stream));
      return {
        events: lines.filter(isEvent).filter(within(request)).map(event),
        nextForwardToken: `f/${String(end).padStart(OFFSET_DIGITS, '0')}`,
        nextBackwardToken: `b/${String(start).padStart(OFFSET_DIGITS, '0')}`,
      };
    },

    DescribeLogStreams(input) {
      const {
        logGroupName: group,
        logStreamNamePrefix: prefix = '',
        nextToken,
        limit = STREAMS_MAX,
        descending = false,
      } = checked(StreamsSchema, input);
      const names = streamsOf(logsDir, group).filter((name) => name.startsWith(prefix));
      if (descending) names.reverse();
      const left =
        nextToken === undefined ? names : names.filter((name) => (descending ? name < nextToken : name > nextToken));
      const page = left.slice(0, limit);
      const last = page.at(-1);
      const arn = `arn:aws:logs:${region}:${account}:log-group:${group}:log-stream:`;
      return {
        logStreams: page.map((name) => describe(streamFile(logsDir, { group, stream: name }), name, arn)),
        ...(last !== undefined && left.length > page.length ? { nextToken: last } : {}),
      };
    },

    /** The minimum: a pattern is plain text that a line must contain, and there is one page. */
    FilterLogEvents(input) {
      const request = checked(FilterSchema, input);
      const { logGroupName: group, logStreamNamePrefix: prefix = '', filterPattern = '', limit = EVENTS_MAX } = request;
      const names = request.logStreamNames ?? streamsOf(logsDir, group).filter((name) => name.startsWith(prefix));
      const text = filterPattern.replace(/^"(.*)"$/, '$1');
      const events = names.flatMap((name) => {
        const { lines } = open(group, name).read({ from: 0 }, EVENTS_MAX, isComplete(name));
        const matching = lines.filter(isEvent).filter((line) => within(request)(line) && textOf(line).includes(text));
        return matching.map((line) => ({ logStreamName: name, ...event(line), eventId: `${name}/${line.offset}` }));
      });
      return { events: events.sort((a, b) => a.timestamp - b.timestamp).slice(0, limit), searchedLogStreams: [] };
    },
  };

  return {
    api,
    read(name, where, limit) {
      if (!existsSync(streamFile(logsDir, name))) return null;
      return fileOf(name).read(where, Math.min(limit, EVENTS_MAX), isComplete(name.stream));
    },
    look(live) {
      let turn = take(toLookAt, LOOKED_AT_MAX);
      if (turn.length === 0) turn = take((toLookAt = live()[Symbol.iterator]()), LOOKED_AT_MAX);
      for (const name of turn) if (existsSync(streamFile(logsDir, name))) fileOf(name).look();
    },

    prune(beforeMs) {
      const old = completeFiles().filter(({ path }) => statSync(path).mtimeMs < beforeMs);
      for (const { path, times } of old) {
        rmSync(path, { force: true });
        rmSync(times, { force: true });
        opened.delete(path);
      }
      return old.length;
    },

    async forget(taskIds) {
      if (taskIds.size === 0) return;
      const unneeded = completeFiles().filter(({ stream }) => taskIds.has(taskIdIn(stream)));
      for (let from = 0; from < unneeded.length; from += REMOVED_AT_ONCE) {
        const some = unneeded.slice(from, from + REMOVED_AT_ONCE);
        await Promise.all(
          some.flatMap(({ path, times }) => [path, times]).map(async (file) => rm(file, { force: true })),
        );
        for (const { path } of some) opened.delete(path);
      }
    },
  };
}

function take<T>(from: Iterator<T>, max: number): readonly T[] {
  const taken: T[] = [];
  while (taken.length < max) {
    const next = from.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** Streams are named `<prefix>/<container>/<task id>`. */
const taskIdIn = (stream: string): string => stream.slice(stream.lastIndexOf('/') + 1);

const OFFSET_DIGITS = 20;

/** Tokens are offsets in the file; the same token twice in a row means that nothing is new. */
function place(token: string): { readonly from: number } | { readonly to: number } {
  const [, direction, offset] = /^([fb])\/(\d{1,20})$/.exec(token) ?? [];
  if (direction === undefined) throw new AwsError('InvalidParameterException', 'The specified nextToken is invalid.');
  return direction === 'f' ? { from: Number(offset) } : { to: Number(offset) };
}

/** The range includes its start and excludes its end. */
const within =
  ({
    startTime = 0,
    endTime = Infinity,
  }: {
    readonly startTime?: number | undefined;
    readonly endTime?: number | undefined;
  }) =>
  ({ atMs }: PrintedLine): boolean =>
    atMs >= startTime && atMs < endTime;

const event = (line: PrintedLine): OutputLogEvent & { timestamp: number } => ({
  timestamp: line.atMs,
  message: textOf(line),
  ingestionTime: line.atMs,
});

/** Without its line end; what is not UTF-8 is replaced. */
const textOf = ({ bytes }: PrintedLine): string =>
  bytes.toString('utf8', 0, bytes.length - (isTerminated(bytes) ? 1 : 0));

const isTerminated = (bytes: Buffer): boolean => bytes.at(-1) === 0x0a;

/** The awslogs driver sends no blank lines. */
const isEvent = ({ bytes }: PrintedLine): boolean => bytes.length > (isTerminated(bytes) ? 1 : 0);

function groupOfArn(identifier = ''): string {
  const group = /^arn:aws[\w-]*:logs:[^:]*:[^:]*:log-group:([^:]+)/.exec(identifier)?.[1] ?? identifier;
  if (group === '') throw new AwsError('InvalidParameterException', 'logGroupName: expected');
  return group;
}

function streamsOf(logsDir: string, group: string): string[] {
  const folder = groupFolder(logsDir, group);
  if (!existsSync(folder)) throw new AwsError('ResourceNotFoundException', 'The specified log group does not exist.');
  return namesIn(folder).sort();
}

const namesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).flatMap((file) => unescapeName(file) ?? []) : [];

function describe(path: string, name: string, arn: string): LogStream {
  const { birthtimeMs, mtimeMs, size } = statSync(path);
  const atMs = Math.min(Math.floor(mtimeMs), Date.now());
  return {
    logStreamName: name,
    arn: `${arn}${name}`,
    creationTime: Math.floor(birthtimeMs),
    ...(size === 0 ? {} : { lastEventTimestamp: atMs, lastIngestionTime: atMs }),
    storedBytes: size,
  };
}
