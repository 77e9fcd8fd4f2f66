import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { podsPath } from '../../../../cli/client/kube-client.ts';
import { LOOPBACK, type Target } from '../../../../cli/client/kubeconfig.ts';
import { tokenFor } from '../../../../cli/client/own-token.ts';
import { reach } from '../../../../cli/client/reach.ts';
import { EXIT, Failure } from '../../../../cli/shell/failure.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { type ContainerSession, SessionError, type TerminalSize } from '../../../../local/container-sessions.ts';
import { REMOTE_TYPE } from '../domain/remote-request.ts';
import { type AskPod, beginExec, messageIn } from '../local/remote-pod.ts';
import { websocketExec } from './websocket-exec.ts';

export type ExecFlags = {
  /** null: the usual one */
  readonly container: string | null;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly command: readonly string[];
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/** Where a command's streams go. */
export type ExecStreams = {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** null: nobody sits at a terminal */
  readonly terminal: {
    /** Passes on all that is typed, as it is. */
    readonly setRaw: (isRaw: boolean) => void;
    readonly size: () => TerminalSize;
    readonly onSize: (listener: () => void) => void;
  } | null;
};

/** Those of this process. */
export function processStreams(): ExecStreams {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY && stdout.isTTY;
  return {
    stdin,
    stdout,
    stderr,
    terminal: isTerminal
      ? {
          setRaw: (isRaw) => void stdin.setRawMode(isRaw),
          size: () => ({ width: stdout.columns, height: stdout.rows }),
          onSize: (listener) => void stdout.on('resize', listener),
        }
      : null,
  };
}

/** `muster exec`: runs a command in a Pod. Returns its exit code. */
export async function exec(pod: string, flags: ExecFlags, shell: Shell, streams: ExecStreams): Promise<number> {
  const { target } = await reach(flags.kubeconfig, shell);
  const path = podsPath(flags.namespace ?? target.namespace, pod);
  const session = await begin(target, path, flags);
  const terminal = flags.tty && flags.stdin ? streams.terminal : null;
  let isInterrupted = false;
  const forget = shell.onInterrupt(() => {
    isInterrupted = true;
    session.hangUp();
  });
  const resize = (): void => void (terminal !== null && session.resize(terminal.size()));
  terminal?.setRaw(true);
  terminal?.onSize(resize);
  resize();
  try {
    passInput(flags.stdin ? streams.stdin : null, session.stdin);
    const outputs = [shown(session.stdout, streams.stdout), shown(session.stderr, streams.stderr)];
    const exitCode = await session.ended;
    await Promise.all(outputs);
    return exitCode ?? EXIT.ok;
  } catch (error) {
    if (isInterrupted) return EXIT.interrupted;
    throw error instanceof SessionError ? new Failure(`error: ${error.message}`) : error;
  } finally {
    terminal?.setRaw(false);
    streams.stdin.pause();
    forget();
  }
}

const isOnLoopback = ({ server }: Target): boolean => LOOPBACK.includes(new URL(server).hostname);
const NOT_HELD = 405;

/**
 * What listens on this machine holds connections: the embedded runtime, and `muster proxy`. Others, and what is only a tunnel, say where
 * a session is to be had.
 */
async function begin(target: Target, path: string, flags: ExecFlags): Promise<ContainerSession> {
  const token = target.token ?? (target.signed === undefined ? null : await tokenFor(target.signed, Date.now()));
  const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  if (isOnLoopback(target)) {
    const held = await websocketExec(target.server + path, authorization, flags);
    if (!('status' in held)) return held;
    if (held.status !== NOT_HELD) throw new Failure(`error: ${messageIn(held)}`);
  }
  const ask: AskPod = async (subresource, body) => {
    const response = await fetch(`${target.server}${path}/${subresource}`, {
      method: 'POST',
      redirect: 'error',
      headers: { ...authorization, 'content-type': REMOTE_TYPE, accept: 'application/json', 'user-agent': 'muster' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.text() };
  };
  const begun = await beginExec(ask, flags.container, flags);
  if (begun.kind === 'refused') throw new Failure(`error: ${messageIn(begun.said)}`);
  return begun.session();
}

function passInput(from: Readable | null, to: Writable | null): void {
  if (from === null) to?.end();
  else if (to !== null) pipeline(from, to).catch(() => undefined);
}

/** Resolves when all is written; what is written to stays open. */
async function shown(from: Readable | null, to: Writable): Promise<void> {
  if (from !== null) await pipeline(from, to, { end: false }).catch(() => undefined);
}
