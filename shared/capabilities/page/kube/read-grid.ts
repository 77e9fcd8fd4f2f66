import type { JobUid } from '../../../domain/base/ids.ts';
import { asTime } from '../../../domain/base/time.ts';
import { CHUNK_INDEXES, type Chunk } from '../../../domain/scoreboard/board.ts';
import { toBase64 } from '../../../domain/task/volumes/base64.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { type Reads, readJobView } from '../../../kube/jobs/job-view.ts';
import { toJob } from '../../../store/to-job.ts';
import { cellCount } from './read-sample.ts';
import { CELL_STATES, type CellRules, type Part, cellsOf, packed } from '../domain/cells.ts';
import { type GridCursor, type GridParts, allParts, changedParts, cursorText, lookOf } from '../domain/grid-changes.ts';

/** Chunks in memory at a time: each is some 20 KB, and more where many indexes have failed. */
const CHUNKS_AT_ONCE = 32;

type GridReads = Pick<Reads, 'jobs' | 'feed'>;
type Sent = { readonly first: number; readonly count: number; readonly cells: string };

/**
 * The state of each index of a Job, or of each slot where Pods have no indexes; after a cursor, only what may have changed since.
 * A large Job is read piece by piece, each as it then is: what has changed meanwhile is after the cursor of the answer, too.
 *
 * @param since null: everything is wanted
 * @returns null: the Job does not exist
 */
export async function findGrid(namespace: string, name: string, since: GridCursor | null, reads: GridReads) {
  const uid = await reads.jobs.findJob(namespace, name);
  const head = uid === null ? null : await readJobView(uid, reads, () => []);
  if (uid === null || head === null) return null;
  const { spec, status } = head;
  const isIndexed = spec.manifest.spec.completionMode === 'Indexed';
  const cells = cellCount(head);
  const look = lookOf(status, cells, limitOf(spec));
  const isKnown = since?.uid === uid && since.look === look && since.seq <= status.journal.nextSeq;
  const parts = since !== null && isKnown ? changedParts(status, since.seq, cells) : allParts(cells);
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobGrid',
    metadata: { namespace, name, uid },
    asOf: asTime(status.now),
    cursor: cursorText({ uid, seq: status.journal.nextSeq, look }),
    /** It takes the place of whatever the client knows. */
    complete: !isKnown,
    /** Cells: indexes, or slots of Pods that have none. */
    completions: cells,
    indexed: isIndexed,
    states: CELL_STATES,
    chunks: await readParts(uid, parts, reads),
  };
}

const limitOf = ({ manifest }: StoredSpec): number | null => manifest.spec.backoffLimitPerIndex ?? null;

/** Nothing more, once the Job is gone. */
async function readParts(uid: JobUid, parts: GridParts, reads: GridReads): Promise<readonly Sent[]> {
  const nos = [...parts.keys()].toSorted((a, b) => a - b);
  const sent: Sent[] = [];
  for (let at = 0; at < nos.length; at += CHUNKS_AT_ONCE) {
    const some = nos.slice(at, at + CHUNKS_AT_ONCE);
    const view = await readJobView(uid, reads, ({ chunks }) => some.filter((no) => no < chunks.length));
    if (view === null) return sent;
    const { excluded } = toJob(view.spec).spec.selection;
    const rules = { phase: view.status.phase, backoffLimitPerIndex: limitOf(view.spec), excluded };
    sent.push(...some.flatMap((no) => rendered(no, view.board.chunk(no), parts.get(no) ?? [], rules)));
  }
  return sent;
}

const rendered = (no: number, chunk: Chunk | undefined, parts: readonly Part[], rules: CellRules): readonly Sent[] =>
  chunk === undefined
    ? []
    : parts.map(({ offset, count }) => ({
        first: no * CHUNK_INDEXES + offset,
        count,
        cells: toBase64(packed(cellsOf(chunk, no, { offset, count }, rules))),
      }));
