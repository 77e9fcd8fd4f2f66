import { PassThrough, Writable } from 'node:stream';
import { type RawData, WebSocket } from 'ws';
import { Failure } from '../../../../cli/shell/failure.ts';
import { type ContainerSession, type ExecRequest, SessionError } from '../../../../local/container-sessions.ts';
import { CHANNELS } from '../domain/channels.ts';
import type { Said } from '../local/remote-pod.ts';
import { promised } from '../local/promised.ts';
import { bytesOf } from '../local/websocket-streams.ts';

const PROTOCOL = 'v5.channel.k8s.io';

/**
 * A command in a Pod over a WebSocket, as kubectl has it.
 *
 * @param url of the Pod
 * @returns the session, or what the server says instead
 * @throws Failure if nobody answers
 */
export async function websocketExec(
  url: string,
  headers: Readonly<Record<string, string>>,
  { container, command, tty, stdin }: ExecRequest & { readonly container: string | null },
): Promise<ContainerSession | Said> {
  const query = new URLSearchParams(command.map((word) => ['command', word] satisfies [string, string]));
  if (container !== null) query.set('container', container);
  for (const [name, isAsked] of Object.entries({ stdin, stdout: true, stderr: !tty, tty }))
    if (isAsked) query.set(name, 'true');
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/exec?${query.toString()}`, [PROTOCOL], {
    perMessageDeflate: false,
    headers,
  });
  const ended = promised<number>();
  const outputs = { stdout: new PassThrough(), stderr: new PassThrough() };
  const finish = (): void => {
    for (const output of Object.values(outputs)) output.end();
  };
  socket.on('message', (data: RawData) => {
    const message = bytesOf(data);
    const [channel, bytes] = [message[0], message.subarray(1)];
    if (channel === CHANNELS.stdout || channel === CHANNELS.stderr) {
      const output = channel === CHANNELS.stdout ? outputs.stdout : outputs.stderr;
      if (bytes.length === 0 || output.write(bytes)) return;
      socket.pause();
      output.once('drain', () => socket.resume());
    } else if (channel === CHANNELS.error) {
      finish();
      settle(bytes.toString(), ended);
    }
  });
  socket.once('close', () => {
    finish();
    ended.reject(new SessionError('the connection broke off'));
  });
  const refusal = await opened(socket);
  if (refusal !== null) return refusal;
  socket.on('error', () => undefined);
  const send = (channel: number, bytes: Uint8Array, done: (error?: Error | null) => void): void => {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(channel), bytes]), done);
    else done();
  };
  return {
    stdin: stdin
      ? new Writable({
          write: (bytes: Buffer, _encoding, done) => send(CHANNELS.stdin, bytes, done),
          final: (done) => send(CHANNELS.close, Buffer.of(CHANNELS.stdin), done),
        })
      : null,
    stdout: outputs.stdout,
    stderr: tty ? null : outputs.stderr,
    resize: ({ width, height }) =>
      send(CHANNELS.resize, Buffer.from(JSON.stringify({ Width: width, Height: height })), () => undefined),
    ended: ended.promise,
    hangUp: () => socket.terminate(),
  };
}

/** What the server says if it opens no session; null: it does. */
async function opened(socket: WebSocket): Promise<Said | null> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(null));
    socket.once('error', (error) => reject(new Failure(`error: ${error.message}`)));
    socket.once('unexpected-response', (_request, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
  });
}

/** The Status at the end: the exit code is one of its causes. */
function settle(text: string, ended: ReturnType<typeof promised<number>>): void {
  const value: unknown = JSON.parse(text);
  const { status, message, details } = value as {
    readonly status: string;
    readonly message?: string;
    readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message: string }[] };
  };
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status === 'Success') ended.resolve(0);
  else if (code !== undefined) ended.resolve(Number(code));
  else ended.reject(new SessionError(message ?? 'the command could not be run'));
}
