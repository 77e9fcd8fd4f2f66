import { setTimeout as sleep } from 'node:timers/promises';
import { type Ends, TABLES, eachPeer, endForms, piecesOf } from './socket-table.ts';

/** `unknown`: this machine does not report it (not Linux), or the connection is already gone. */
export type Peer = { readonly kind: 'user'; readonly uid: number } | { readonly kind: 'unknown' };

type Asked = {
  /** Both ends as a table may write them: the peer's, then ours. */
  readonly forms: readonly (readonly [theirs: string, ours: string])[];
  readonly tell: (peer: Peer) => void;
  /** A table that changes while it is read may lack a line. */
  readonly isAskedAgain: boolean;
};

/** Reading takes at most a quarter of the time, however many ask. */
const PAUSE_PER_READ = 3;

let waiting: Asked[] = [];
let isReading = false;

/**
 * Finds the user at the other end of a loopback connection. A login node has many users, and all of them can reach a port
 * on 127.0.0.1; the kernel knows the socket's owner. All who ask while the tables are read share the next reading.
 */
export async function peerOf(ends: Ends): Promise<Peer> {
  const ours = endForms(ends.localAddress, ends.localPort);
  const theirs = endForms(ends.remoteAddress, ends.remotePort);
  const forms = theirs.flatMap((end) =>
    ours.filter(({ length }) => length === end.length).map((our) => [end, our] as const),
  );
  return new Promise((tell) => {
    waiting.push({ forms, tell, isAskedAgain: false });
    if (!isReading) void readForAll();
  });
}

async function readForAll(): Promise<void> {
  isReading = true;
  while (waiting.length > 0) {
    const all = waiting;
    waiting = [];
    const beganMs = performance.now();
    for (const asked of await answer(all)) {
      if (asked.isAskedAgain) asked.tell({ kind: 'unknown' });
      else waiting.push({ ...asked, isAskedAgain: true });
    }
    await sleep((performance.now() - beganMs) * PAUSE_PER_READ);
  }
  isReading = false;
}

/** Those whose connection no table has. */
async function answer(all: readonly Asked[]): Promise<readonly Asked[]> {
  let left = all;
  for (const path of TABLES) {
    if (left.length === 0) break;
    const uids = await peersIn(path, new Set(left.flatMap(({ forms }) => forms.map(([, ours]) => ours))));
    left = left.filter(({ forms, tell }) => {
      const uid = forms.map(([theirs, ours]) => uids.get(`${theirs} ${ours}`)).find((each) => each !== undefined);
      if (uid !== undefined) tell({ kind: 'user', uid });
      return uid === undefined;
    });
  }
  return left;
}

/** The owners of all sockets that are connected to one of `ends`, by both ends. */
async function peersIn(path: string, ends: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const uids = new Map<string, number>();
  for await (const piece of piecesOf(path))
    for (const end of ends) eachPeer(piece, end, (peer, uid) => void uids.set(`${peer} ${end}`, uid));
  return uids;
}
