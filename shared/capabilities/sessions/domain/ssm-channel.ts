import { type Digest, MESSAGES, PAYLOADS, type SsmMessage, decodeMessage, encodeMessage } from './ssm-messages.ts';

/** What a channel wants done, or has to say, in this order. */
export type ChannelEffect =
  | { readonly kind: 'send'; readonly bytes: Uint8Array }
  /** The agent takes input. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'data'; readonly payloadType: number; readonly payload: Uint8Array }
  /** It is over; `why`: what the service says, often nothing. */
  | { readonly kind: 'closed'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

export type ChannelParts = {
  readonly digest: Digest;
  /** A new UUID. */
  readonly newId: () => string;
};

/**
 * The version of AWS's own client whose protocol this is. From 1.1.70 on the agent carries many connections to a port in one session.
 */
const CLIENT_VERSION = '1.2.0.0';
const MESSAGE_SCHEMA_VERSION = '1.0';

/** What is sent first, as text: with the token the gateway knows which session is meant. */
export const openText = (tokenValue: string, { newId }: Pick<ChannelParts, 'newId'>): string =>
  JSON.stringify({
    MessageSchemaVersion: MESSAGE_SCHEMA_VERSION,
    RequestId: newId(),
    TokenValue: tokenValue,
    ClientId: newId(),
    ClientVersion: CLIENT_VERSION,
  });

/** Messages ahead of the one that is expected; more are not kept, and come again. */
const AHEAD_MAX = 10_000;
const FIRST_WAIT_MS = 200;
const WAIT_MS_MAX = 1_000;
const FIRST_ROUND_TRIP_MS = 100;
const CLOCK_MS = 10;
/** Repeated at once; others wait for the next time. */
const RESENT_AT_ONCE = 16;
/** An agent from which nothing has come for so long, though it should acknowledge something, is gone. */
const SILENCE_MS_MAX = 5 * 60_000;

type Sent = { readonly sequence: number; readonly bytes: Uint8Array; sentMs: number | null; isRepeated: boolean };

/**
 * The client's end of a data channel. Both ends number what they send, acknowledge what comes, and repeat what is not acknowledged. An
 * agent acknowledges nothing a second time, so a message whose acknowledgement was lost is repeated for good, and holds nothing up.
 * The channel does nothing by itself: what it wants is returned, and who holds the connection does it.
 */
export class SsmChannel {
  readonly #parts: ChannelParts;
  #expected = 0;
  readonly #ahead = new Map<number, SsmMessage>();
  #next = 0;
  /** In the order of their numbers. */
  readonly #unacknowledged: Sent[] = [];
  #isPaused = false;
  #isReady = false;
  /** When something has come from the agent, or nothing was due. */
  #heardMs = 0;
  #roundTripMs = FIRST_ROUND_TRIP_MS;
  #variationMs = 0;
  #waitMs = FIRST_WAIT_MS;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  /** How many messages are under way. */
  get underWay(): number {
    return this.#unacknowledged.length;
  }

  /** A message of the stream of input. */
  send(payloadType: number, payload: Uint8Array, nowMs: number): readonly ChannelEffect[] {
    const sequence = this.#next++;
    const bytes = this.#encode({ messageType: MESSAGES.input, sequence, flags: 0, payloadType, payload }, nowMs);
    if (this.#unacknowledged.length === 0) this.#heardMs = nowMs;
    const sent: Sent = { sequence, bytes, sentMs: this.#isPaused ? null : nowMs, isRepeated: false };
    this.#unacknowledged.push(sent);
    return this.#isPaused ? [] : [{ kind: 'send', bytes }];
  }

  /** What has come over the connection. What is damaged counts as lost: it comes again. */
  receive(bytes: Uint8Array, nowMs: number): readonly ChannelEffect[] {
    const message = decodeMessage(bytes, this.#parts.digest);
    if (message === null) return [];
    this.#heardMs = nowMs;
    switch (message.messageType) {
      case MESSAGES.output:
        return [...this.#resume(nowMs), ...this.#arrived(message, nowMs)];
      case MESSAGES.acknowledge:
        this.#acknowledged(message, nowMs);
        return this.#resume(nowMs);
      case MESSAGES.closed:
        return [{ kind: 'closed', why: textIn(message.payload, 'Output') }];
      case MESSAGES.pause:
        this.#isPaused = true;
        return [];
      case MESSAGES.start:
        return this.#resume(nowMs);
      default:
        return [];
    }
  }

  /** Repeats what was not acknowledged in time; to be called every 100 ms. */
  tick(nowMs: number): readonly ChannelEffect[] {
    if (this.#unacknowledged.length === 0) return [];
    if (nowMs - this.#heardMs > SILENCE_MS_MAX)
      return [{ kind: 'failed', why: 'the agent in the container does not answer any more' }];
    if (this.#isPaused) return [];
    const late = this.#unacknowledged.filter(({ sentMs }) => sentMs !== null && nowMs - sentMs > this.#waitMs);
    return late.slice(0, RESENT_AT_ONCE).map((each) => {
      each.isRepeated = true;
      each.sentMs = nowMs;
      return { kind: 'send', bytes: each.bytes };
    });
  }

  #arrived(message: SsmMessage, nowMs: number): readonly ChannelEffect[] {
    const isAhead = message.sequence > this.#expected;
    if (isAhead && this.#ahead.size >= AHEAD_MAX) return [];
    // What has come before is acknowledged again: its acknowledgement may have been lost.
    const effects: ChannelEffect[] = [{ kind: 'send', bytes: this.#acknowledge(message, nowMs) }];
    if (isAhead) this.#ahead.set(message.sequence, message);
    if (message.sequence !== this.#expected) return effects;
    for (let next: SsmMessage | undefined = message; next !== undefined; next = this.#ahead.get(this.#expected)) {
      this.#ahead.delete(this.#expected);
      this.#expected += 1;
      effects.push(...this.#take(next, nowMs));
    }
    return effects;
  }

  #take({ payloadType, payload }: SsmMessage, nowMs: number): readonly ChannelEffect[] {
    if (payloadType === PAYLOADS.handshakeRequest) return this.#shakeHands(payload, nowMs);
    if (payloadType === PAYLOADS.handshakeComplete) return this.#ready();
    // An agent that shakes no hands begins with its output.
    return [...this.#ready(), { kind: 'data', payloadType, payload }];
  }

  #ready(): readonly ChannelEffect[] {
    if (this.#isReady) return [];
    this.#isReady = true;
    return [{ kind: 'ready' }];
  }

  /** The agent asks for things; what it asks beside the kind of session, such as a key of KMS, is refused. */
  #shakeHands(payload: Uint8Array, nowMs: number): readonly ChannelEffect[] {
    const asked = actionsIn(payload);
    const refused = asked.filter((action) => action !== SESSION_TYPE);
    const answer = {
      ClientVersion: CLIENT_VERSION,
      ProcessedClientActions: asked.map((ActionType) =>
        ActionType === SESSION_TYPE
          ? { ActionType, ActionStatus: 1, ActionResult: null, Error: '' }
          : { ActionType, ActionStatus: 3, ActionResult: null, Error: `Unsupported action ${ActionType}` },
      ),
      Errors: refused.map((action) => `Unsupported action ${action}`),
    };
    const sent = this.send(PAYLOADS.handshakeResponse, new TextEncoder().encode(JSON.stringify(answer)), nowMs);
    const [first] = refused;
    if (first === undefined) return sent;
    const why =
      first === 'KMSEncryption'
        ? 'the cluster encrypts sessions with a key of KMS, which muster does not do: remove the key from its executeCommandConfiguration'
        : `the agent asks for ${first}, which muster does not know`;
    return [...sent, { kind: 'failed', why }];
  }

  #acknowledge({ messageType, messageId, sequence }: SsmMessage, nowMs: number): Uint8Array {
    const content = {
      AcknowledgedMessageType: messageType,
      AcknowledgedMessageId: messageId,
      AcknowledgedMessageSequenceNumber: sequence,
      IsSequentialMessage: true,
    };
    const payload = new TextEncoder().encode(JSON.stringify(content));
    return this.#encode({ messageType: MESSAGES.acknowledge, sequence: 0, flags: 3, payloadType: 0, payload }, nowMs);
  }

  #acknowledged({ payload }: SsmMessage, nowMs: number): void {
    const sequence = numberIn(payload, 'AcknowledgedMessageSequenceNumber');
    const nth = this.#unacknowledged.findIndex((each) => each.sequence === sequence);
    const [sent] = nth === -1 ? [] : this.#unacknowledged.splice(nth, 1);
    // Nobody knows which sending of a message is acknowledged that was sent twice.
    if (sent === undefined || sent.sentMs === null || sent.isRepeated) return;
    const tookMs = nowMs - sent.sentMs;
    this.#variationMs = (this.#variationMs * 3 + Math.abs(this.#roundTripMs - tookMs)) / 4;
    this.#roundTripMs = (this.#roundTripMs * 7 + tookMs) / 8;
    this.#waitMs = Math.min(WAIT_MS_MAX, this.#roundTripMs + Math.max(CLOCK_MS, this.#variationMs * 4));
  }

  /** Whatever comes from the agent says that it is there again. */
  #resume(nowMs: number): readonly ChannelEffect[] {
    if (!this.#isPaused) return [];
    this.#isPaused = false;
    const waiting = this.#unacknowledged.filter(({ sentMs }) => sentMs === null);
    for (const each of waiting) each.sentMs = nowMs;
    return waiting.map(({ bytes }) => ({ kind: 'send', bytes }));
  }

  #encode(message: Omit<SsmMessage, 'createdMs' | 'messageId'>, nowMs: number): Uint8Array {
    const { digest, newId } = this.#parts;
    return encodeMessage({ ...message, createdMs: nowMs, messageId: newId() }, digest);
  }
}

const SESSION_TYPE = 'SessionType';

function actionsIn(payload: Uint8Array): readonly string[] {
  const actions = memberIn(payload, 'RequestedClientActions');
  return Array.isArray(actions)
    ? actions.map((each: unknown) =>
        typeof each === 'object' && each !== null ? String(Reflect.get(each, 'ActionType')) : '',
      )
    : [];
}

function textIn(payload: Uint8Array, name: string): string {
  const value = memberIn(payload, name);
  return typeof value === 'string' ? value : '';
}

function numberIn(payload: Uint8Array, name: string): number {
  const value = memberIn(payload, name);
  return typeof value === 'number' ? value : -1;
}

function memberIn(payload: Uint8Array, name: string): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(payload));
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
}
