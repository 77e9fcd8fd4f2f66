import { chunkOf } from '../domain/board.ts';
import type { JobUid, TaskArn } from '../domain/brand.ts';
import { isActive } from '../domain/index-record.ts';
import { launchRowOf } from '../domain/launch-row.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogLine, LogReader } from '../ports/log-reader.ts';
import { type Parsed, bad, countOf, flagOf, ok } from './query.ts';
import { type Reads, readJob } from './read-job.ts';

export type LogOptions = {
  readonly container: string;
  /** null: all there are */
  readonly tailLines: number | null;
  /** Lines that were printed before are left out; null: none is. */
  readonly sinceMs: number | null;
  readonly timestamps: boolean;
  readonly follow: boolean;
};

type Query = Readonly<Record<string, string>>;

/** Reads the options of `GET …/log`; the container may be left out where there is one beside init containers. What is not supported is refused, not ignored. */
export function parseLogOptions(
  query: Query,
  podName: string,
  {
    containers,
    initContainers,
  }: { readonly containers: readonly string[]; readonly initContainers: readonly string[] },
  now: number,
): Parsed<LogOptions> {
  const tail = countOf('tailLines', query['tailLines']);
  if (tail.kind === 'bad') return tail;
  const since = countOf('sinceSeconds', query['sinceSeconds']);
  if (since.kind === 'bad') return since;
  const sinceTime = query['sinceTime'] === undefined ? null : Date.parse(query['sinceTime']);
  if (Number.isNaN(sinceTime)) return bad('sinceTime: must be an RFC 3339 time');
  const limit = countOf('limitBytes', query['limitBytes']);
  if (limit.kind === 'bad') return limit;
  if (limit.value !== null) return bad('limitBytes: not supported by this version of Muster; use tailLines');
  const container = query['container'] ?? '';
  const [only, ...others] = containers;
  if (container === '' && others.length > 0)
    return bad(
      `a container name must be specified for pod ${podName}, choose one of: [${containers.join(' ')}]` +
        (initContainers.length === 0 ? '' : ` or one of the init containers: [${initContainers.join(' ')}]`),
    );
  const chosen = container === '' ? (only ?? '') : container;
  if (!containers.includes(chosen) && !initContainers.includes(chosen))
    return bad(`container ${chosen} is not valid for pod ${podName}`);
  if (flagOf(query['previous']))
    return bad(`previous terminated container ${JSON.stringify(chosen)} in pod ${JSON.stringify(podName)} not found`);
  return ok({
    container: chosen,
    tailLines: tail.value,
    sinceMs: since.value === null ? sinceTime : now - since.value * 1000,
    timestamps: flagOf(query['timestamps']),
    follow: flagOf(query['follow']),
  });
}

/** Where an attempt stands, as far as its log is concerned. */
export type LogSource = { readonly taskArn: TaskArn | null; readonly hasEnded: boolean };

/** Finds an attempt's task. null: the Job is gone, or never had that attempt. */
export async function findLogSource(
  { uid, index, attempt }: { readonly uid: JobUid; readonly index: number; readonly attempt: number },
  reads: Reads,
): Promise<LogSource | null> {
  const view = await readJob(uid, reads, ({ size }) => (index < size ? [chunkOf(index)] : []), 'evenDeleted');
  const latest = view?.board.record(index);
  if (latest === null || latest === undefined || attempt > latest.attempt) return null;
  const isLive = attempt === latest.attempt && isActive(latest.state);
  const records = isLive ? [] : await reads.jobs.readAttempts(uid, index, index);
  const ended = records.find((record) => record.attempt === attempt);
  if (ended !== undefined && ended.taskArn !== null) return { taskArn: ended.taskArn, hasEnded: true };
  const { slots } = await reads.jobs.readLaunches(uid, launchRowOf(index));
  const slot = slots.find((each) => each.index === index && each.attempt === attempt && each.state === 'launched');
  return { taskArn: slot?.state === 'launched' ? slot.taskArn : null, hasEnded: !isLive };
}

const POLL_MS = 1000;

/**
 * The lines of an attempt as the client asked for them. Following ends when the attempt has ended and nothing new came
 * after that, at `endsAt`, or when the client has gone.
 */
export async function* logLines(
  first: LogSource & { readonly taskArn: TaskArn },
  options: LogOptions & { readonly endsAt: number; readonly isCancelled: () => boolean },
  look: () => Promise<LogSource | null>,
  { logs, clock }: { readonly logs: LogReader; readonly clock: Clock },
): AsyncGenerator<string> {
  const page = async (after: string | null) =>
    logs.read({ taskArn: first.taskArn, container: options.container, after });
  const wanted = ({ atMs }: LogLine): boolean => options.sinceMs === null || atMs >= options.sinceMs;
  const shown = ({ atMs, text }: LogLine): string =>
    `${options.timestamps ? `${new Date(atMs).toISOString()} ` : ''}${text}\n`;

  let tail: readonly LogLine[] | null = options.tailLines === null ? null : [];
  let hasEnded = first.hasEnded;
  let after: string | null = null;
  while (!options.isCancelled()) {
    const { lines, next }: { lines: readonly LogLine[]; next: string | null } = await readPage(page, after);
    if (next !== after) {
      after = next;
      const since = lines.filter(wanted);
      if (tail === null) for (const line of since) yield shown(line);
      else tail = lastOf([...tail, ...since], options.tailLines ?? 0);
      continue;
    }
    // All there is so far has been read.
    for (const line of tail ?? []) yield shown(line);
    tail = null;
    if (!options.follow || hasEnded || clock.now() >= options.endsAt) return;
    await clock.sleep(POLL_MS);
    // Looked at before the next read: what was printed before the end is read after it.
    hasEnded = (await look())?.hasEnded ?? true;
  }
}

const lastOf = (lines: readonly LogLine[], n: number): readonly LogLine[] => lines.slice(Math.max(lines.length - n, 0));

async function readPage(page: (after: string | null) => ReturnType<LogReader['read']>, after: string | null) {
  const read = await page(after);
  return read.kind === 'none' ? { lines: [], next: after } : read;
}
