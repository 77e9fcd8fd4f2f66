import { CHUNK_INDEXES, STATES, chunkOf } from '../../domain/scoreboard/board.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import { lastFailedAttempt } from '../../domain/failures/ended-attempts.ts';
import { type FailureSnapshot, groupFailures, isFailure } from '../../domain/failures/failures.ts';
import type { EndedAttempt } from '../../domain/planner/plan.ts';
import { mainContainer } from '../../domain/task/pod-template.ts';
import { type Status, chunkLength } from '../../domain/scoreboard/status.ts';
import type { LogReader } from '../../ports/log-reader.ts';
import type { JobStore, StoredSpec } from '../../ports/job-store.ts';
import type { ItemSource } from '../../store/read-items.ts';
import { shownRecords } from '../../store/shown-records.ts';
import { probe } from '../process/probe.ts';

/** Limits for any Job, however large: chunks, indexes whose records are read, reported groups, and one log per group. */
const CHUNKS_MAX = 8;
const INDEXES_MAX = 500;
const GROUPS_MAX = 10;
/** Indexes whose records one read covers, including those in between. */
const SPAN_INDEXES = 64;
/** The end of a log that is read to find up to three lines that are not blank. */
const LOG_LINES_READ = 20;
const LOG_LINES_SHOWN = 3;
const LINE_CHARS_MAX = 400;

type Ports = ItemSource & {
  readonly jobs: Pick<JobStore, 'readAttempts'>;
  readonly logs: Pick<LogReader, 'readBack'>;
};

/**
 * The chunks with indexes that have failed and not succeeded since, within the limit: those that certainly have some come
 * first.
 */
export function chunksWithFailures({ chunks, failed, restarts }: Status): readonly number[] {
  const nos = chunks.map((_, no) => no);
  const sure = nos.filter((no) => hasTrouble(chunks[no]));
  const maybe = failed + restarts === 0 ? [] : nos.filter((no) => isTouched(chunks[no]));
  return [...new Set([...sure, ...maybe])].slice(0, CHUNKS_MAX).sort((a, b) => a - b);
}

type Summary = Status['chunks'][number] | undefined;

const hasTrouble = (summary: Summary): boolean =>
  summary !== undefined && (summary.failed > 0 || summary.waiting > 0 || summary.soonestDue !== null);
/** Its pending indexes may have failed, although the summary does not say so. */
const isTouched = (summary: Summary): boolean =>
  summary !== undefined && summary.pending + summary.starting + summary.running > 0;

/** How those indexes failed last, in groups, each group with the last lines of one log. The chunks must be loaded. */
export async function collectFailures(
  { spec, status, board }: { readonly spec: StoredSpec; readonly status: Status; readonly board: WorkingBoard },
  ports: Ports,
): Promise<FailureSnapshot> {
  const wanted = chunksWithFailures(status);
  const latest = latestEnded(board, wanted);
  const records = await recordsOf(spec.identity.uid, latest.slice(0, INDEXES_MAX), ports);
  const attempts = await shownRecords(records, spec.manifest, ports);
  const groups = groupFailures(attempts, status.phase);
  const isAll = wanted.length === status.chunks.filter((each) => hasTrouble(each) || isTouched(each)).length;
  const main = mainContainer(spec.manifest).name;
  const collected = groups.slice(0, GROUPS_MAX).map(async (group) => ({
    ...group,
    log: await probe(() => lastLines(group.example, main, ports)),
  }));
  return {
    groups: await Promise.all(collected),
    more: groups.length > GROUPS_MAX || latest.length > INDEXES_MAX || (!isAll && status.failed + status.restarts > 0),
  };
}

type LatestEnded = { readonly index: number; readonly attempt: number };

/** For each index that has failed and not succeeded since, the last attempt that has ended. */
function latestEnded(board: WorkingBoard, chunks: readonly number[]): readonly LatestEnded[] {
  const found: LatestEnded[] = [];
  for (const no of chunks) {
    const columns = board.chunk(no);
    if (columns === undefined) continue;
    const first = no * CHUNK_INDEXES;
    for (let offset = 0; offset < chunkLength(board.size, no) && found.length <= INDEXES_MAX; offset++) {
      const state = STATES[columns.states[offset] ?? 0];
      if ((columns.attempts[offset] ?? 0) === 0 || state === 'succeeded') continue;
      const record = board.record(first + offset);
      const attempt = record === null ? null : lastFailedAttempt(record);
      if (attempt !== null) found.push({ index: first + offset, attempt });
    }
  }
  return found;
}

async function recordsOf(uid: JobUid, wanted: readonly LatestEnded[], { jobs }: Ports): Promise<EndedAttempt[]> {
  const spans: { from: number; to: number }[] = [];
  for (const { index } of wanted) {
    const last = spans.at(-1);
    const fits = last !== undefined && index - last.from < SPAN_INDEXES && chunkOf(index) === chunkOf(last.from);
    if (fits) last.to = index;
    else spans.push({ from: index, to: index });
  }
  const until = new Map(wanted.map(({ index, attempt }) => [index, attempt]));
  const failed = new Map<number, EndedAttempt>();
  for (const { from, to } of spans)
    for (const record of await jobs.readAttempts(uid, from, to)) {
      // In order of their attempts: an attempt that was stopped for another reason has not failed.
      const isMeant = record.attempt <= (until.get(record.index) ?? 0);
      if (isMeant && isFailure(record)) failed.set(record.index, record);
    }
  return [...failed.values()];
}

/** The last lines that are not blank, oldest first; none: it printed nothing, or has no log. */
async function lastLines({ taskArn, ending }: EndedAttempt, main: string, { logs }: Ports): Promise<readonly string[]> {
  if (taskArn === null) return [];
  const container = ending.container ?? main;
  const page = await logs.readBack({ taskArn, container, before: null, linesMax: LOG_LINES_READ });
  if (page.kind === 'none') return [];
  const lines = page.lines.map(({ text }) => text.trimEnd()).filter((text) => text !== '');
  return lines.slice(-LOG_LINES_SHOWN).map((text) => text.slice(0, LINE_CHARS_MAX));
}
