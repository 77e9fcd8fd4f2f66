import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Ends, TABLES, eachPeer, endForms, piecesOf } from './socket-table.ts';

/** `unknown`: this machine does not report it (not Linux), or the connection is already gone. */
export type Peer = { readonly kind: 'user'; readonly uid: number } | { readonly kind: 'unknown' };

type Asked = {
  /** The peer's end as a table may write it. */
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
  readonly tell: (peer: Peer) => void;
  /** A table that changes while it is read may lack a line. */
  readonly isAskedAgain: boolean;
};

let waiting: Asked[] = [];
let isReading = false;
let current: Generator<void> | null = null;
let isHurrying = false;

/** Reading takes at most a quarter of the time, however many ask, */
const PAUSE_PER_READ = 3;
/** and nobody waits longer than this for a reading to begin, however long the tables are. */
const PAUSE_MAX_MS = 100;
/** The longest time for which nothing else in this process goes on. */
const AT_A_STRETCH_MS = 100;
const GONE: Peer = { kind: 'unknown' };

/**
 * Finds the user at the other end of a loopback connection. A login node has many users, and all of them can reach a port
 * on 127.0.0.1; the kernel knows the socket's owner. All who ask before a reading of the tables begins share it.
 */
export async function peerOf(ends: Ends): Promise<Peer> {
  const ours = endForms(ends.localAddress, ends.localPort);
  const theirs = endForms(ends.remoteAddress, ends.remotePort);
  return new Promise((tell) => ask({ ours, theirs, tell, isAskedAgain: false }));
}

/** Reads on at once, for all who wait; does nothing while it is still at it. */
export function hurry(): void {
  if (isHurrying) return;
  isHurrying = true;
  const steps = readingAll();
  for (let leftMs = AT_A_STRETCH_MS; leftMs > 0; ) {
    const tookMs = stepOf(steps);
    if (tookMs === null) return void (isHurrying = false);
    leftMs -= tookMs;
  }
  void readOn(steps).then(() => (isHurrying = false));
}

function ask(asked: Asked): void {
  waiting.push(asked);
  if (!isReading) void readForAll();
}

async function readForAll(): Promise<void> {
  isReading = true;
  while (waiting.length > 0) {
    await nextTurn(); // others may come together with the first
    current = reading();
    const tookMs = await readOn(current);
    current = null;
    await sleep(Math.min(tookMs * PAUSE_PER_READ, PAUSE_MAX_MS));
  }
  isReading = false;
}

/** Lets others have their turn between steps. Returns what the steps took, in milliseconds. */
async function readOn(steps: Generator<void>): Promise<number> {
  let allMs = 0;
  for (let ms = stepOf(steps); ms !== null; ms = stepOf(steps)) {
    allMs += ms;
    await nextTurn();
  }
  return allMs;
}

/** What the next step took, in milliseconds; null: there are no more. */
function stepOf(steps: Generator<void>): number | null {
  const beganMs = performance.now();
  return steps.next().done === true ? null : performance.now() - beganMs;
}

function* readingAll(): Generator<void> {
  if (current !== null) yield* current;
  yield* reading();
}

/** One reading for all who wait, in steps of some milliseconds. Tells each as soon as its line was read. */
function* reading(): Generator<void> {
  const left = new Set(waiting);
  waiting = [];
  const byTheirs = new Map<string, Asked[]>();
  for (const asked of left) for (const end of asked.theirs) byTheirs.set(end, [...(byTheirs.get(end) ?? []), asked]);
  const ours = new Set([...left].flatMap((asked) => asked.ours));
  for (const path of TABLES) {
    if (left.size === 0) return;
    for (const piece of piecesOf(path)) {
      for (const end of ours)
        eachPeer(piece, end, (peer, uid) => {
          for (const asked of byTheirs.get(peer) ?? [])
            if (asked.ours.includes(end) && left.delete(asked)) asked.tell(uid === null ? GONE : { kind: 'user', uid });
        });
      yield;
      if (left.size === 0) return;
    }
  }
  for (const asked of left) {
    if (asked.isAskedAgain) asked.tell(GONE);
    else ask({ ...asked, isAskedAgain: true });
  }
}
