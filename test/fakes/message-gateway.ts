import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { TERMINAL } from '../../local/ecs/sessions/terminal.ts';
import { FLAG, OUTPUT, SIZE, SsmAgent, serviceMessage } from './ssm-agent.ts';

// ECS Exec and Session Manager, as far as commands and ports need them: the calls that open a session, the gateway at which clients
// and agents meet, and an agent that runs real programs, each in a terminal.

/** What becomes of messages on their way, by a seed. */
export type LinkFaults = {
  readonly seed: number;
  readonly lost: number;
  readonly twice: number;
  readonly lateMs: number;
};

export type GatewayOptions = {
  /** The ECS that knows the tasks. */
  readonly ecs: string;
  /** Where programs of a container start. */
  readonly cwd: string;
  /** Of the task, for connections to its ports. */
  readonly address: (taskId: string) => Promise<string>;
  readonly faults?: LinkFaults;
};

type Session = {
  readonly id: string;
  token: string | null;
  readonly program:
    | { readonly kind: 'command'; readonly words: readonly string[] }
    | { readonly kind: 'port'; readonly port: number; readonly host: string };
  stop: () => void;
};

export type MessageGateway = {
  readonly endpoint: string;
  /** What ECS was asked to run. */
  readonly asked: readonly Record<string, unknown>[];
  /** Tokens that were given away. */
  readonly tokens: readonly string[];
  /** Programs that go on. */
  running(): number;
  close(): Promise<void>;
};

/** Listens on a free port of 127.0.0.1. */
export async function startMessageGateway(options: GatewayOptions): Promise<MessageGateway> {
  const sessions = new Map<string, Session>();
  const asked: Record<string, unknown>[] = [];
  const tokens: string[] = [];
  const children = new Set<ChildProcess>();
  const open = (kind: string, program: Session['program']): Session => {
    const session = {
      id: `${kind}-${randomBytes(8).toString('hex')}`,
      token: randomBytes(24).toString('hex'),
      program,
      stop: () => undefined,
    };
    sessions.set(session.id, session);
    tokens.push(session.token);
    return session;
  };
  const streamUrl = ({ id }: Session): string =>
    `ws://127.0.0.1:${port()}/v1/data-channel/${id}?role=publish_subscribe`;
  const operations: Readonly<Record<string, (input: Record<string, unknown>) => object | Promise<object>>> = {
    ExecuteCommand(input) {
      asked.push(input);
      if (input['interactive'] !== true) throw new Error('Amazon ECS only supports initiating interactive sessions.');
      const session = open('ecs-execute-command', { kind: 'command', words: split(String(input['command'])) });
      const { cluster, container } = input;
      return {
        clusterArn: cluster,
        containerName: container,
        interactive: true,
        taskArn: input['task'],
        session: { sessionId: session.id, streamUrl: streamUrl(session), tokenValue: session.token },
      };
    },
    async StartSession(input) {
      asked.push(input);
      const [, task = ''] = /^ecs:muster_(\w+)_\w+-\d+$/.exec(String(input['Target'])) ?? [];
      const [portNumber] = (input['Parameters'] as { portNumber: string[] }).portNumber;
      const session = open('port', {
        kind: 'port',
        port: Number(portNumber),
        host: await options.address(task),
      });
      return { SessionId: session.id, StreamUrl: streamUrl(session), TokenValue: session.token };
    },
    TerminateSession({ SessionId }) {
      sessions.get(String(SessionId))?.stop();
      return { SessionId };
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = String(request.headers['x-amz-target']);
    const body = await buffer(request);
    const operation = operations[target.split('.')[1] ?? ''];
    if (operation === undefined) {
      const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers;
      const passedOn = await fetch(options.ecs, { method: 'POST', headers: headers as Record<string, string>, body });
      response.writeHead(passedOn.status, { 'content-type': 'application/x-amz-json-1.1' }).end(await passedOn.text());
      return;
    }
    try {
      const answered = await operation(JSON.parse(body.toString()) as Record<string, unknown>);
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answered));
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ __type: 'InvalidParameterException', message: String(error) }));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const id = /data-channel\/([\w-]+)/.exec(request.url ?? '')?.[1] ?? '';
    socket.once('message', (data: RawData, isBinary: boolean) => {
      const session = sessions.get(id);
      const opening = isBinary ? {} : (JSON.parse(asBuffer(data).toString()) as Record<string, unknown>);
      const isKnown = session?.token !== null && session?.token === opening['TokenValue'];
      if (session === undefined || !isKnown || opening['MessageSchemaVersion'] !== '1.0') return socket.close(4001);
      session.token = null;
      hold(session, socket, options, children);
    });
  });
  const port = (): number => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${port()}`,
    asked,
    tokens,
    running: () => children.size,
    async close() {
      for (const { stop } of sessions.values()) stop();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const asBuffer = (data: RawData): Buffer => (Buffer.isBuffer(data) ? data : Buffer.from(data as ArrayBuffer));

const REPEAT_MS = 100;
/** As the agent reads. */
const PIECE = 1_024;

function hold(session: Session, socket: WebSocket, options: GatewayOptions, children: Set<ChildProcess>): void {
  const { faults = { seed: 1, lost: 0, twice: 0, lateMs: 0 } } = options;
  const draw = drawn(faults.seed);
  const carry = (act: () => void): void => {
    if (draw() < faults.lost) return;
    for (let copies = draw() < faults.twice ? 2 : 1; copies > 0; copies--) {
      if (faults.lateMs === 0) act();
      else setTimeout(act, draw() * faults.lateMs);
    }
  };
  const send = (bytes: Buffer): void => {
    if (socket.readyState === socket.OPEN) socket.send(bytes);
  };
  let take: (payloadType: number, payload: Buffer) => void = () => undefined;
  const agent = new SsmAgent({
    send: (bytes) => carry(() => send(bytes)),
    take: (payloadType, payload) => take(payloadType, payload),
    session: { type: session.program.kind === 'port' ? 'Port' : 'InteractiveCommands' },
    ready() {
      const { program } = session;
      const over = (why: string): void =>
        whenSent(agent, () => send(serviceMessage('channel_closed', { Output: why, SessionId: session.id })));
      if (program.kind === 'command') {
        const started = command(program.words, agent, options.cwd, children, over);
        take = (payloadType, payload) => started.take(payloadType, payload);
        session.stop = () => started.stop();
      } else {
        const held = port(program.port, program.host, agent);
        take = (payloadType, payload) => held.take(payloadType, payload);
        session.stop = () => {
          held.stop();
          over('');
        };
      }
    },
  });
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (isBinary) carry(() => agent.receive(asBuffer(data)));
  });
  const repeats = setInterval(() => agent.repeat(), REPEAT_MS);
  socket.once('close', () => clearInterval(repeats));
  agent.begin();
}

/** When a client has had everything, or will never have it. */
function whenSent(agent: SsmAgent, act: () => void, tries = 100): void {
  if (agent.unacknowledged === 0 || tries === 0) act();
  else setTimeout(() => whenSent(agent, act, tries - 1), REPEAT_MS);
}

function command(
  words: readonly string[],
  agent: SsmAgent,
  cwd: string,
  children: Set<ChildProcess>,
  over: (why: string) => void,
) {
  const [name = '', ...rest] = words;
  const program = found(name);
  if (program === null) {
    over(
      `----------ERROR-------\nUnable to start command: Failed to start pty: exec: "${name}": executable file not found in $PATH`,
    );
    return { take: () => undefined, stop: () => undefined };
  }
  const child = spawn('python3', ['-I', '-c', TERMINAL, '80x24', program, ...rest], {
    cwd,
    stdio: ['pipe', 'pipe', 'inherit', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  });
  children.add(child);
  child.stdin?.on('error', () => undefined);
  // The agent passes on what is UTF-8, and nothing else.
  const decoder = new TextDecoder();
  child.stdout?.on('data', (bytes: Buffer) => {
    const shown = Buffer.from(decoder.decode(bytes, { stream: true }));
    for (let at = 0; at < shown.length; at += PIECE) agent.output(OUTPUT, shown.subarray(at, at + PIECE));
  });
  child.once('close', () => {
    children.delete(child);
    over('');
  });
  const sizes = child.stdio[4] as Writable;
  sizes.on('error', () => undefined);
  return {
    take(payloadType: number, payload: Buffer) {
      if (payloadType === OUTPUT) child.stdin?.write(payload);
      if (payloadType !== SIZE) return;
      const { cols, rows } = JSON.parse(payload.toString()) as { readonly cols: number; readonly rows: number };
      sizes.write(`${cols}x${rows}\n`);
    },
    // The terminal goes with it, and its programs get SIGHUP.
    stop: () => void child.kill('SIGKILL'),
  };
}

function found(name: string): string | null {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return (
    places.find((place) => {
      try {
        accessSync(place, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }) ?? null
  );
}

const FRAME_MAX = 32_768;
const SMUX = { open: 0, end: 1, data: 2 } as const;

/** Connections to one port, over smux, as the agent has it: the end of one half is the end of both. */
function port(number: number, host: string, agent: SsmAgent) {
  const sockets = new Map<number, Socket>();
  let rest = Buffer.alloc(0);
  const say = (kind: number, stream: number, data: Buffer = Buffer.alloc(0)): void => {
    const head = Buffer.from([1, kind, 0, 0, 0, 0, 0, 0]);
    head.writeUInt16LE(data.length, 2);
    head.writeUInt32LE(stream, 4);
    const frame = Buffer.concat([head, data]);
    for (let at = 0; at < frame.length; at += PIECE) agent.output(OUTPUT, frame.subarray(at, at + PIECE));
  };
  const begin = (stream: number): void => {
    const socket = connect({ host, port: number });
    sockets.set(stream, socket);
    socket.on('data', (data: Buffer) => {
      for (let at = 0; at < data.length; at += FRAME_MAX) say(SMUX.data, stream, data.subarray(at, at + FRAME_MAX));
    });
    socket.on('error', () => agent.output(FLAG, Buffer.from([0, 0, 0, 3])));
    socket.once('close', () => {
      if (sockets.delete(stream)) say(SMUX.end, stream);
    });
  };
  return {
    take(payloadType: number, payload: Buffer) {
      if (payloadType === FLAG && payload.readUInt32BE(0) === 2)
        for (const socket of sockets.values()) socket.destroy();
      if (payloadType !== OUTPUT) return;
      rest = Buffer.concat([rest, payload]);
      while (rest.length >= 8 && rest.length >= 8 + rest.readUInt16LE(2)) {
        const [end, stream] = [8 + rest.readUInt16LE(2), rest.readUInt32LE(4)];
        if (rest[0] !== 1) throw new Error('this is no smux');
        if (rest[1] === SMUX.open) begin(stream);
        else if (rest[1] === SMUX.data) sockets.get(stream)?.write(rest.subarray(8, end));
        else if (rest[1] === SMUX.end) sockets.get(stream)?.destroy();
        rest = rest.subarray(end);
      }
    },
    stop() {
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}

/** Words as github.com/google/shlex finds them, which the agent uses. */
function split(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"') word += text.charAt(++at);
      else word = (word ?? '') + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === '\\') word = (word ?? '') + text.charAt(++at);
    else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  return word === null ? words : [...words, word];
}

/** Numbers from 0 to 1 by a seed. */
function drawn(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
