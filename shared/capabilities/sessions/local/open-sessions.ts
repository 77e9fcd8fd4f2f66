import type { Duplex } from 'node:stream';
import type { SessionPlan, Taken } from '../domain/session-plan.ts';

/** Sessions at once: each is a program, or many connections. */
const SESSIONS_MAX = 256;
/** How often a client is asked whether it is there, and its user's rights are looked at. */
const LOOK_MS = 10_000;
/** A session that carries nothing for this long is ended, as by a kubelet. */
const IDLE_MS = 4 * 3_600_000;

/** A session, as far as it has to be looked after. */
export type OpenSession = {
  readonly plan: Pick<SessionPlan, 'mayGoOn'>;
  readonly socket: Duplex;
  /** Sends something, so that a client that is gone is noticed though nothing is read of it. Nothing, before it has begun. */
  ping: () => void;
  bytes: () => number;
};

export type OpenSessions = {
  /** Whether there is room for one more. */
  room(): Taken;
  /** Looks after a session until its connection is closed. */
  add(session: OpenSession): void;
  close(): void;
};

/** The sessions of this process. */
export function openSessions(): OpenSessions {
  const all = new Set<OpenSession>();
  const idle = new WeakMap<OpenSession, { readonly bytes: number; readonly sinceMs: number }>();
  const look = (session: OpenSession): void => {
    session.ping();
    const [bytes, nowMs] = [session.bytes(), performance.now()];
    const before = idle.get(session);
    if (before?.bytes !== bytes) idle.set(session, { bytes, sinceMs: nowMs });
    else if (nowMs - before.sinceMs > IDLE_MS) session.socket.destroy();
    session.plan.mayGoOn().then(
      (may) => {
        if (!may) session.socket.destroy();
      },
      () => undefined, // It is asked again.
    );
  };
  const timer = setInterval(() => {
    for (const session of all) look(session);
  }, LOOK_MS);
  timer.unref();
  return {
    room: () =>
      all.size < SESSIONS_MAX
        ? { kind: 'taken' }
        : { kind: 'busy', why: `${SESSIONS_MAX} sessions are open: end one of them, or try again later` },
    add(session) {
      // It may be closed before the API has decided, and says so only once.
      if (session.socket.destroyed) return;
      all.add(session);
      session.socket.once('close', () => all.delete(session));
    },
    close() {
      clearInterval(timer);
      for (const { socket } of all) socket.destroy();
    },
  };
}
