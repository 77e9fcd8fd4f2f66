import { createHash, randomUUID } from 'node:crypto';

// The other end of a data channel of Session Manager, as amazon-ssm-agent has it, written from its message contracts and without a line
// of ours: what both ends misread would otherwise look right.

export type AgentMessage = {
  readonly type: string;
  readonly sequence: number;
  readonly flags: number;
  readonly id: string;
  readonly payloadType: number;
  readonly payload: Buffer;
};

const HEADER = 116;

export function write({ type, sequence, flags, id, payloadType, payload }: AgentMessage): Buffer {
  const head = Buffer.alloc(HEADER + 4);
  head.writeUInt32BE(HEADER, 0);
  head.fill(0x20, 4, 36).write(type, 4, 'latin1');
  head.writeUInt32BE(1, 36);
  head.writeBigUInt64BE(1_764_000_000_000n, 40);
  head.writeBigInt64BE(BigInt(sequence), 48);
  head.writeBigUInt64BE(BigInt(flags), 56);
  const hex = id.replaceAll('-', '');
  head.write(hex.slice(16), 64, 'hex');
  head.write(hex.slice(0, 16), 72, 'hex');
  createHash('sha256').update(payload).digest().copy(head, 80);
  head.writeUInt32BE(payloadType, 112);
  head.writeUInt32BE(payload.length, 116);
  return Buffer.concat([head, payload]);
}

/** Throws for what an agent would refuse. */
export function read(bytes: Buffer): AgentMessage {
  const header = bytes.readUInt32BE(0);
  const length = bytes.readUInt32BE(header);
  const payload = bytes.subarray(header + 4);
  if (header !== HEADER || payload.length !== length)
    throw new Error(`a header of ${header} bytes, a payload of ${length}`);
  if (!createHash('sha256').update(payload).digest().equals(bytes.subarray(80, 112))) throw new Error('wrong digest');
  if (bytes.readUInt32BE(36) !== 1 || bytes.readBigUInt64BE(40) === 0n) throw new Error('wrong version or date');
  const hex = bytes.toString('hex', 72, 80) + bytes.toString('hex', 64, 72);
  return {
    type: bytes.toString('utf8', 4, 36).trim(),
    sequence: Number(bytes.readBigInt64BE(48)),
    flags: Number(bytes.readBigUInt64BE(56)),
    id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    payloadType: bytes.readUInt32BE(112),
    payload,
  };
}

export const OUTPUT = 1;
export const SIZE = 3;
export const FLAG = 10;
const SHAKE = { request: 5, response: 6, complete: 7 } as const;

export type AgentParts = {
  readonly send: (bytes: Buffer) => void;
  readonly take: (payloadType: number, payload: Buffer) => void;
  /** Hands are shaken. */
  readonly ready?: () => void;
  /** What it asks for; omitted: it shakes no hands. */
  readonly session?: { readonly type: string; readonly kmsKey?: string };
};

/** Numbers, acknowledgements, repetitions, and the handshake of an agent. */
export class SsmAgent {
  readonly #parts: AgentParts;
  #next = 0;
  #expected = 0;
  #isPaused = false;
  readonly #ahead = new Map<number, AgentMessage>();
  readonly #sent: { readonly sequence: number; readonly bytes: Buffer }[] = [];
  /** What was refused of the handshake; null: it is not over. */
  refused: readonly string[] | null = null;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  get unacknowledged(): number {
    return this.#sent.length;
  }

  begin(): void {
    const { session } = this.#parts;
    if (session === undefined) return;
    const asked = [
      { ActionType: 'SessionType', ActionParameters: { SessionType: session.type, Properties: null } },
      ...(session.kmsKey === undefined
        ? []
        : [{ ActionType: 'KMSEncryption', ActionParameters: { KMSKeyId: session.kmsKey } }]),
    ];
    this.#say(SHAKE.request, { AgentVersion: '3.3.3050.0', RequestedClientActions: asked });
  }

  output(payloadType: number, payload: Buffer): void {
    const sequence = this.#next++;
    const message = { type: 'output_stream_data', sequence, flags: sequence === 0 ? 1 : 0, id: randomUUID() };
    const bytes = write({ ...message, payloadType, payload });
    this.#sent.push({ sequence, bytes });
    if (!this.#isPaused) this.#parts.send(bytes);
  }

  /** Repeats the oldest message that is not acknowledged. */
  repeat(): void {
    const [oldest] = this.#sent;
    if (oldest !== undefined && !this.#isPaused) this.#parts.send(oldest.bytes);
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  receive(bytes: Buffer): void {
    const message = read(bytes);
    if (message.type === 'acknowledge') {
      const { AcknowledgedMessageSequenceNumber: sequence } = JSON.parse(message.payload.toString()) as Record<
        string,
        unknown
      >;
      const nth = this.#sent.findIndex((each) => each.sequence === sequence);
      if (nth !== -1) this.#sent.splice(nth, 1);
      return;
    }
    if (message.type !== 'input_stream_data') throw new Error(`clients send no ${message.type}`);
    // As the agent: what it has had before it does not acknowledge again.
    if (message.sequence < this.#expected) return;
    this.#acknowledge(message);
    this.#ahead.set(message.sequence, message);
    for (let next = this.#ahead.get(this.#expected); next !== undefined; next = this.#ahead.get(this.#expected)) {
      this.#ahead.delete(this.#expected);
      this.#expected += 1;
      if (next.payloadType === SHAKE.response) this.#shaken(next.payload);
      else this.#parts.take(next.payloadType, next.payload);
    }
  }

  #shaken(payload: Buffer): void {
    const answer = JSON.parse(payload.toString()) as {
      readonly ClientVersion: string;
      readonly ProcessedClientActions: readonly { readonly ActionType: string; readonly ActionStatus: number }[];
    };
    this.refused = answer.ProcessedClientActions.filter((each) => each.ActionStatus !== 1).map(
      (each) => each.ActionType,
    );
    if (this.refused.length > 0) return;
    this.#say(SHAKE.complete, { HandshakeTimeToComplete: 1, CustomerMessage: '' });
    this.#parts.ready?.();
  }

  #acknowledge({ type, id, sequence }: AgentMessage): void {
    const content = {
      AcknowledgedMessageType: type,
      AcknowledgedMessageId: id,
      AcknowledgedMessageSequenceNumber: sequence,
      IsSequentialMessage: true,
    };
    const payload = Buffer.from(JSON.stringify(content));
    this.#parts.send(write({ type: 'acknowledge', sequence: 0, flags: 3, id: randomUUID(), payloadType: 0, payload }));
  }

  #say(payloadType: number, content: object): void {
    this.output(payloadType, Buffer.from(JSON.stringify(content)));
  }
}

/** What the service itself says to a client. */
export const serviceMessage = (type: string, content: object): Buffer =>
  write({
    type,
    sequence: 0,
    flags: 3,
    id: randomUUID(),
    payloadType: 0,
    payload: Buffer.from(JSON.stringify(content)),
  });
