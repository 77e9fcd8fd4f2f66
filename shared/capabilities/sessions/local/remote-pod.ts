import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type ContainerSession, type ExecRequest, SessionError } from '../../../../local/container-sessions.ts';
import { scriptedCommand } from '../domain/exec-script.ts';
import { type RemoteAnswer, type RemoteRequest, remoteAnswerIn } from '../domain/remote-request.ts';
import { remoteExec } from './remote-exec.ts';
import { type RemotePort, remotePort } from './remote-ports.ts';

/** What an API says to a request for a session. */
export type Said = { readonly status: number; readonly body: string };

/** Asks the API of a Pod for sessions with it. */
export type AskPod = (subresource: 'exec' | 'attach' | 'portforward', request: RemoteRequest) => Promise<Said>;

export type Begun<T> =
  | { readonly kind: 'begun'; readonly session: T; readonly answer: RemoteAnswer }
  | { readonly kind: 'refused'; readonly said: Said };

/** Starts a command in a container of a Pod. */
export async function beginExec(
  ask: AskPod,
  container: string | null,
  { command, tty, stdin }: ExecRequest,
): Promise<Begun<() => ContainerSession>> {
  const mark = randomBytes(12).toString('hex');
  const words = scriptedCommand(command, { tty, stdin }, mark);
  const said = await ask('exec', { kind: 'run', container, command: words });
  const answer = answerIn(said);
  if (answer === null || answer.session === null) return { kind: 'refused', said };
  const { session } = answer;
  const end = (): void => void ask('exec', { kind: 'end', sessionId: session.sessionId }).catch(() => undefined);
  return { kind: 'begun', answer, session: () => remoteExec({ session, tty, stdin, mark, end }) };
}

/** Whether a Pod may be attached to, or its ports forwarded. */
export async function beginLook(
  ask: AskPod,
  subresource: 'attach' | 'portforward',
  container: string | null,
): Promise<Begun<null>> {
  const said = await ask(subresource, { kind: 'look', container });
  const answer = answerIn(said);
  return answer === null ? { kind: 'refused', said } : { kind: 'begun', session: null, answer };
}

const OK = 200;

const answerIn = ({ status, body }: Said): RemoteAnswer | null => (status === OK ? remoteAnswerIn(jsonIn(body)) : null);

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** The ports of a Pod, each with a session that lasts as long as it is used. */
export function remotePorts(ask: AskPod) {
  const open = new Map<number, Promise<RemotePort>>();
  const begin = async (port: number): Promise<RemotePort> => {
    const said = await ask('portforward', { kind: 'forward', port });
    const session = answerIn(said)?.session ?? null;
    if (session === null) throw new SessionError(messageIn(said));
    const begun = remotePort(session);
    void begun.over.then(() => open.delete(port));
    return begun;
  };
  return {
    async connect(port: number) {
      const found = open.get(port) ?? begin(port);
      open.set(port, found);
      try {
        return await (await found).connect();
      } catch (error) {
        open.delete(port);
        throw error;
      }
    },
    async close(): Promise<void> {
      for (const each of open.values()) await each.then((port) => port.close()).catch(() => undefined);
    },
  };
}

/** The message of a Status. */
export function messageIn({ body, status }: Said): string {
  const value = jsonIn(body);
  const message: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'message') : null;
  return typeof message === 'string' ? message : `the API answered ${status}`;
}

/** What a container prints, as a session that takes nothing. */
export function loggedSession(log: Readable): ContainerSession {
  const ended = new Promise<null>((resolve) => {
    log.once('close', () => resolve(null));
  });
  return {
    stdin: null,
    stdout: log,
    stderr: null,
    resize: () => undefined,
    ended,
    hangUp: () => void log.destroy(),
  };
}
