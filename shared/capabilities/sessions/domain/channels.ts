import { toBase64 } from '../../../domain/task/volumes/base64.ts';

/** The channels of exec and attach in a WebSocket: the first byte of each message. */
export const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** What a message carries, and on which channel. */
export type ChannelMessage = { readonly channel: number; readonly bytes: Uint8Array };

/** null: it has no channel, so it means nothing. */
export function channelMessage(message: Uint8Array, isBase64: boolean): ChannelMessage | null {
  const [first] = message;
  if (first === undefined) return null;
  const rest = message.subarray(1);
  if (!isBase64) return { channel: first, bytes: rest };
  // The channel is a digit.
  const bytes = fromBase64(new TextDecoder('latin1').decode(rest));
  return first < ZERO || first > ZERO + 9 || bytes === null ? null : { channel: first - ZERO, bytes };
}

const ZERO = 48;

function fromBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** As it is sent: bytes, or text in base64. */
export function sentMessage({ channel, bytes }: ChannelMessage, isBase64: boolean): Uint8Array | string {
  if (isBase64) return `${channel}${toBase64(bytes)}`;
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

/** The size of a terminal. */
export type Size = { readonly width: number; readonly height: number };

const SIDE_MAX = 65_535;

/** `{"Width":80,"Height":24}`; null: it is no size. */
export function sizeIn(text: string): Size | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const [width, height] = ['Width', 'Height'].map((name): unknown => Reflect.get(value, name));
    return isSide(width) && isSide(height) ? { width, height } : null;
  } catch {
    return null;
  }
}

const isSide = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= SIDE_MAX;

/** The first message of each channel of a port: its number, the low byte first. */
export const portMessage = (port: number): Uint8Array => Uint8Array.of(port & 0xff, port >> 8);
