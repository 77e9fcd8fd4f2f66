import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { hurry, peerOf } from './peer-uid.ts';

/** How many connections a listener has at most, and how many of these may wait to be let in. */
export type Room = { readonly open: number; readonly waiting: number };

/**
 * How many connections the system keeps that a listener has not taken yet (listen(2)). They cost no open files here. A client that
 * finds no place tries again after a second.
 */
export const BACKLOG = 4_096;

/** Watches are 1,000 at most; the rest is for requests. */
const OPEN_MAX = 4_096;
const WAITING_MAX = 2_048;
/** Where the system does not say how many files may be open. */
const USUAL_FILES = 1_024;

/**
 * The room of one listener where a process may have that many open files: most of them stay free for tasks, the store, and
 * other listeners, and of those that are taken others can have only the part that waits. Pure.
 */
export const roomFor = (files: number): Room => ({
  open: Math.min(OPEN_MAX, Math.floor(files / 2)),
  waiting: Math.min(WAITING_MAX, Math.ceil(files / 4)),
});

/** The limit in the text of /proc/self/limits (proc(5)); null if there is none. Pure. */
export function filesIn(limits: string): number | null {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** What this process has room for. */
export function usualRoom(): Room {
  try {
    return roomFor(filesIn(readFileSync('/proc/self/limits', 'latin1')) ?? USUAL_FILES);
  } catch {
    return roomFor(USUAL_FILES);
  }
}

/**
 * Lets only programs of this user in. A connection waits at the door, and nothing that it sends is read, until it is known
 * whose it is; those of others are closed then, and all that come where the room is full. Call it before the server listens.
 */
export function guardDoor(server: Server, room: Room = usualRoom()): void {
  const enter = server.listeners('connection');
  server.removeAllListeners('connection');
  // An option of net.createServer that http.createServer does not pass on.
  Object.assign(server, { pauseOnConnect: true });
  let open = 0;
  let waiting = 0;
  server.on('connection', (socket: Socket) => {
    if (open >= room.open || waiting >= room.waiting) return void socket.destroy();
    open += 1;
    waiting += 1;
    socket.once('close', () => (open -= 1));
    void isOurs(socket).then((known) => {
      waiting -= 1;
      if (!known || !server.listening) return void socket.destroy();
      for (const each of enter) Reflect.apply(each, server, [socket]);
      socket.resume();
    });
    // A burst is looked at while it lasts: others must not keep the owner out.
    if (waiting >= room.waiting) hurry();
  });
}

/** Only Linux reports the owner of the other end. An owner that it does not report is treated as another user. */
async function isOurs(socket: Socket): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const peer = await peerOf(socket);
  return peer.kind === 'user' && peer.uid === process.getuid?.();
}
