import { CHUNK_INDEXES, chunkOf, type Chunk, emptyChunk } from '../../domain/scoreboard/board.ts';
import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { JobUid, TaskArn } from '../../domain/base/ids.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import { LOST, NO_TIMES, factOf } from '../../domain/planner/ending.ts';
import type { AttemptId, Fact } from '../../domain/base/fact.ts';
import type { IndexRecord } from '../../domain/scoreboard/index-record.ts';
import { type LaunchSlot, launchRowOf } from '../../domain/scoreboard/launch-row.ts';
import type { ReplacedTask, Status } from '../../domain/scoreboard/status.ts';
import type { Deps } from '../process/deps.ts';

/** Attempts looked up by one message, in five DescribeTasks calls; then the message continues where it ended. */
const ATTEMPTS_PER_MESSAGE = 500;
const DESCRIBE_MAX = 100;
const LATER_DELAY_SEC = 5;

/**
 * Looks up active attempts of a Job in ECS, from index `from` on, and sends what the board does not know yet as facts. This
 * makes lost events harmless.
 */
export async function inspect(
  { uid, from }: { readonly uid: JobUid; readonly from: number },
  deps: Deps,
): Promise<void> {
  const status = await deps.jobs.readStatus(uid);
  if (status === null) return;
  const covered = await boardFrom(uid, status, from, deps);
  if (covered === null) return deps.queues.dispatch([{ kind: 'inspect', uid, from }], LATER_DELAY_SEC); // torn: read again
  const { board, nextFrom } = covered;
  const indexes = board.scan(from, ATTEMPTS_PER_MESSAGE, hasTask, ['starting', 'running']);
  const { known, nameless } = await slotsOf(uid, indexes, board, deps);
  if (from === 0) known.push(...status.replacedTasks.map(replaced));
  const facts: Fact[] = [];
  for (let i = 0; i < known.length; i += DESCRIBE_MAX) {
    const some = known.slice(i, i + DESCRIBE_MAX);
    const seen = await deps.tasks.describe(some.map(({ slot }) => slot.taskArn));
    if (seen.kind === 'later') return deps.queues.dispatch([{ kind: 'inspect', uid, from }], LATER_DELAY_SEC);
    for (const view of seen.tasks) {
      const fact = factOf(view);
      const record = fact === null ? null : board.record(fact.index);
      // An end is reported even if its chunk is not loaded: a replaced attempt may be the last of its chunk.
      if (fact?.kind === 'stopped' || (fact !== null && record !== null && record.state !== 'running'))
        facts.push(fact);
    }
    facts.push(...lost(some, seen.missing, deps.clock.now(), deps.settings.timing.missingGraceMs));
  }
  if (facts.length > 0) await deps.queues.facts([{ uid, facts }], 0);
  const unheard = facts.filter((fact) => isUnheard(fact, deps.clock.now())).length;
  if (unheard > 0) deps.telemetry.count('EndsFoundByLookUp', unheard);
  // The board knows the task, but no row names it: its dispatcher died. Repeating the call returns the task.
  if (nameless.length > 0)
    await deps.queues.dispatch(
      nameless.map((id) => ({ kind: 'pack', uid, launch: [id], stop: [] })),
      0,
    );
  const next = indexes.length === ATTEMPTS_PER_MESSAGE ? (indexes.at(-1) ?? from) + 1 : nextFrom;
  if (next !== null) await deps.queues.dispatch([{ kind: 'inspect', uid, from: next }], 0);
}

/** An event is there within seconds; one that waits in the fact queue for so long has its own alarm. */
const EVENT_LATE_MS = 3 * 60_000;

/** ECS shows an end that the board does not know, although its event is due. */
const isUnheard = (fact: Fact, now: EpochMs): boolean =>
  fact.kind === 'stopped' && fact.times.stoppedAt !== null && now > plusMs(fact.times.stoppedAt, EVENT_LATE_MS);

/** RunTask has returned a task; unanswered claims are sent again anyway. */
const hasTask = ({ state }: IndexRecord): boolean => state === 'launched' || state === 'running';

/** A board with as many chunks as one message covers, and the first index of the next chunk that has active attempts. */
type Covered = { readonly board: WorkingBoard; readonly nextFrom: number | null };

/** Chunks with active attempts from `from` on; null: STATUS is older than a chunk. */
async function boardFrom(uid: JobUid, status: Status, from: number, { jobs }: Deps): Promise<Covered | null> {
  const chunks = new Map<number, Chunk>();
  const stored: number[] = [];
  let active = 0;
  let nextFrom: number | null = null;
  for (const [no, { version, starting, running }] of status.chunks.entries()) {
    if (no < chunkOf(from) || starting + running === 0) continue;
    if (active >= ATTEMPTS_PER_MESSAGE) {
      nextFrom = no * CHUNK_INDEXES;
      break;
    }
    chunks.set(no, emptyChunk()); // only active records are looked up, and those are in the journal or stored
    if (version > 0) stored.push(no);
    active += starting + running;
  }
  const read = await jobs.readChunks(uid, stored);
  for (const [no, { version, chunk }] of read) {
    if (version !== status.chunks[no]?.version) return null;
    chunks.set(no, chunk);
  }
  if (stored.some((no) => !read.has(no))) return null;
  return { board: new WorkingBoard(status, chunks), nextFrom };
}

type Launched = { readonly id: AttemptId; readonly slot: Extract<LaunchSlot, { state: 'launched' }> };

/** An attempt that was replaced: its slot now belongs to its replacement. */
const replaced = ({ index, attempt, nonce, taskArn, since }: ReplacedTask): Launched => {
  const id = { index, attempt, nonce };
  return { id, slot: { ...id, state: 'launched', taskArn, since } };
};

async function slotsOf(uid: JobUid, indexes: readonly number[], board: WorkingBoard, { jobs }: Deps) {
  const known: Launched[] = [];
  const nameless: AttemptId[] = [];
  for (const [from, to] of spans(indexes)) {
    const rows = await jobs.readLaunchRange(uid, launchRowOf(from), launchRowOf(to));
    const slots = new Map(rows.flatMap((row) => row.slots).map((slot) => [slot.index, slot]));
    for (const index of indexes) {
      if (index < from || index > to) continue;
      const record = board.record(index);
      if (record === null) continue;
      const id = { index, attempt: record.attempt, nonce: record.nonce };
      const slot = slots.get(index);
      if (slot?.state === 'launched' && isSame(slot, record)) known.push({ id, slot });
      else nameless.push(id);
    }
  }
  return { known, nameless };
}

const isSame = (slot: LaunchSlot, record: IndexRecord): boolean =>
  slot.attempt === record.attempt && slot.nonce === record.nonce;

/** Ranges of indexes within one chunk, so that one query reads their rows. */
function spans(indexes: readonly number[]): readonly (readonly [number, number])[] {
  const byChunk = new Map<number, [number, number]>();
  for (const index of indexes) {
    const span = byChunk.get(chunkOf(index));
    if (span === undefined) byChunk.set(chunkOf(index), [index, index]);
    else span[1] = index;
  }
  return [...byChunk.values()];
}

/** ECS has forgotten the task, or never had it: its end was missed for an hour, so the outcome is unknown. */
function lost(some: readonly Launched[], missing: readonly TaskArn[], now: EpochMs, graceMs: number): readonly Fact[] {
  const gone = new Set(missing);
  return some
    .filter(({ slot }) => gone.has(slot.taskArn) && now >= plusMs(slot.since, graceMs))
    .map(({ id, slot }) => ({
      ...id,
      kind: 'stopped',
      taskArn: slot.taskArn,
      ending: LOST,
      times: NO_TIMES,
      at: now,
    }));
}
