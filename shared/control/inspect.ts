import { CHUNK_INDEXES, chunkOf, emptyChunk } from '../domain/board.ts';
import { type EpochMs, type JobUid, type TaskArn, plusMs } from '../domain/brand.ts';
import { Draft } from '../domain/draft.ts';
import { LOST, NO_TIMES, factOf } from '../domain/ending.ts';
import type { AttemptId, Fact } from '../domain/fact.ts';
import type { IndexRecord } from '../domain/index-record.ts';
import { type LaunchSlot, launchRowOf } from '../domain/launch-row.ts';
import type { Lingering, Status } from '../domain/status.ts';
import type { Deps } from './deps.ts';

/** Attempts looked up by one message: five DescribeTasks; then the message goes on from where it ended. */
const ATTEMPTS_PER_MESSAGE = 500;
const DESCRIBE_MAX = 100;
const LATER_DELAY_SEC = 5;

/**
 * Looks active attempts of a Job up at ECS, from index `from` on, and sends what the board does not know yet as facts.
 * This is what makes lost events harmless.
 */
export async function inspect(
  { uid, from }: { readonly uid: JobUid; readonly from: number },
  deps: Deps,
): Promise<void> {
  const status = await deps.jobs.readStatus(uid);
  if (status === null) return;
  const draft = await draftFrom(uid, status, from, deps);
  if (draft === null) return deps.queues.dispatch([{ kind: 'inspect', uid, from }], LATER_DELAY_SEC); // torn: look again
  const indexes = draft.scan(from, ATTEMPTS_PER_MESSAGE, hasTask, ['starting', 'running']);
  const { known, nameless } = await slotsOf(uid, indexes, draft, deps);
  if (from === 0) known.push(...status.lingering.map(replaced));
  const facts: Fact[] = [];
  for (let i = 0; i < known.length; i += DESCRIBE_MAX) {
    const some = known.slice(i, i + DESCRIBE_MAX);
    const seen = await deps.tasks.describe(some.map(({ slot }) => slot.taskArn));
    if (seen.kind === 'later') return deps.queues.dispatch([{ kind: 'inspect', uid, from }], LATER_DELAY_SEC);
    for (const view of seen.tasks) {
      const fact = factOf(view);
      const record = fact === null ? null : draft.record(fact.index);
      // An end is told whatever is at hand: one that was replaced may be the last of its chunk.
      if (fact?.kind === 'stopped' || (fact !== null && record !== null && record.state !== 'running'))
        facts.push(fact);
    }
    facts.push(...lost(some, seen.missing, deps.clock.now(), deps.settings.timing.missingGraceMs));
  }
  if (facts.length > 0) await deps.queues.facts([{ uid, facts }], 0);
  // A task that the board knows of but no row names: the dispatcher that launched it died; its call, repeated, tells.
  if (nameless.length > 0)
    await deps.queues.dispatch(
      nameless.map((id) => ({ kind: 'pack', uid, launch: [id], stop: [] })),
      0,
    );
  const next = indexes.length === ATTEMPTS_PER_MESSAGE ? (indexes.at(-1) ?? from) + 1 : nextChunk(draft, from);
  if (next !== null) await deps.queues.dispatch([{ kind: 'inspect', uid, from: next }], 0);
}

/** RunTask has answered with a task; claims that nobody has answered are sent again anyway. */
const hasTask = ({ state }: IndexRecord): boolean => state === 'launched' || state === 'running';

/** As many chunks with active attempts from `from` on as make one message; null: STATUS is older than a chunk. */
async function draftFrom(uid: JobUid, status: Status, from: number, { jobs }: Deps): Promise<Draft | null> {
  const nos: number[] = [];
  let active = 0;
  for (const [no, { starting, running }] of status.chunks.entries()) {
    if (no < chunkOf(from) || starting + running === 0) continue;
    if (active >= ATTEMPTS_PER_MESSAGE) break;
    nos.push(no);
    active += starting + running;
  }
  const read = await jobs.readChunks(
    uid,
    nos.filter((no) => (status.chunks[no]?.version ?? 0) > 0),
  );
  const chunks = new Map(nos.map((no) => [no, emptyChunk()]));
  for (const [no, { version, chunk }] of read) {
    if (version !== status.chunks[no]?.version) return null;
    chunks.set(no, chunk);
  }
  if ([...chunks.keys()].some((no) => (status.chunks[no]?.version ?? 0) > 0 && !read.has(no))) return null;
  return new Draft(status, chunks);
}

/** The first index of the next chunk that has active attempts but was not at hand. */
function nextChunk(draft: Draft, from: number): number | null {
  for (const [no, { starting, running }] of draft.summaries().entries()) {
    if (no * CHUNK_INDEXES > from && starting + running > 0 && draft.chunk(no) === undefined) return no * CHUNK_INDEXES;
  }
  return null;
}

type Launched = { readonly id: AttemptId; readonly slot: Extract<LaunchSlot, { state: 'launched' }> };

/** An attempt that another has replaced: its slot is the other's now. */
const replaced = ({ index, attempt, nonce, taskArn, since }: Lingering): Launched => {
  const id = { index, attempt, nonce };
  return { id, slot: { ...id, state: 'launched', taskArn, since } };
};

async function slotsOf(uid: JobUid, indexes: readonly number[], draft: Draft, { jobs }: Deps) {
  const known: Launched[] = [];
  const nameless: AttemptId[] = [];
  for (const [from, to] of spans(indexes)) {
    const rows = await jobs.readLaunchRange(uid, launchRowOf(from), launchRowOf(to));
    const slots = new Map(rows.flatMap((row) => row.slots).map((slot) => [slot.index, slot]));
    for (const index of indexes) {
      if (index < from || index > to) continue;
      const record = draft.record(index);
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

/** Ranges of indexes of one chunk each, so that one query reads their rows. */
function spans(indexes: readonly number[]): readonly (readonly [number, number])[] {
  const byChunk = new Map<number, [number, number]>();
  for (const index of indexes) {
    const span = byChunk.get(chunkOf(index));
    if (span === undefined) byChunk.set(chunkOf(index), [index, index]);
    else span[1] = index;
  }
  return [...byChunk.values()];
}

/** ECS has forgotten the task, or never had it: its end was missed for an hour, and nobody can tell how it went. */
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

/** Looks among a Job's live tasks for the one of this attempt and nonce. */
export async function findTask(
  uid: JobUid,
  id: AttemptId,
  { tasks }: Deps,
): Promise<{ readonly kind: 'found'; readonly taskArn: TaskArn } | { readonly kind: 'nowhere' | 'later' }> {
  let after: string | null = null;
  do {
    const page = await tasks.listLive({ job: uid, after });
    if (page.kind === 'later') return page;
    for (let i = 0; i < page.taskArns.length; i += DESCRIBE_MAX) {
      const seen = await tasks.describe(page.taskArns.slice(i, i + DESCRIBE_MAX));
      if (seen.kind === 'later') return seen;
      const mine = seen.tasks.find(
        (view) => view.id.index === id.index && view.id.attempt === id.attempt && view.id.nonce === id.nonce,
      );
      if (mine !== undefined) return { kind: 'found', taskArn: mine.arn };
    }
    after = page.next;
  } while (after !== null);
  return { kind: 'nowhere' };
}
