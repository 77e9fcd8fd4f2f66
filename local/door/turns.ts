import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Turn = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Serves the requests of one connection one after the other, as their answers are sent. Node starts all that it finds in what it has
 * read, and reads on. Here a connection is not read while requests wait, so it brings at most what one read holds, and no
 * more as long as its answers are not taken. Requests whose connection is gone are dropped. Call it before the server listens.
 */
export function takeTurns(server: Server): void {
  const serve = server.listeners('request');
  server.removeAllListeners('request');
  const lines = new WeakMap<Socket, (turn: Turn) => void>();
  server.on('request', (...turn: Turn) => {
    const [{ socket }] = turn;
    let add = lines.get(socket);
    if (add === undefined) {
      add = lineOf(socket, (each) => {
        for (const one of serve) Reflect.apply(one, server, each);
      });
      lines.set(socket, add);
    }
    add(turn);
  });
}

function lineOf(socket: Socket, serve: (turn: Turn) => void): (turn: Turn) => void {
  let waiting: Turn[] = [];
  let isBusy = false;
  const next = (): void => {
    if (socket.destroyed) waiting = [];
    const turn = waiting.shift();
    isBusy = turn !== undefined;
    if (turn === undefined) return;
    if (waiting.length === 0) socket.resume(); // its body may not have arrived
    turn[1].once('close', next);
    serve(turn);
  };
  // Node resumes it after each request that it has read, and when an answer has been sent.
  socket.on('resume', () => {
    if (waiting.length > 0) socket.pause();
  });
  return (turn) => {
    waiting.push(turn);
    if (isBusy) socket.pause();
    else next();
  };
}
