import { closeSync, openSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Both ends of a connection as the server sees them. */
export type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

/** The kernel's lists of TCP sockets. A client may reach 127.0.0.1 through an IPv6 socket, which is in the second one. */
export const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

const LISTENING = '0A';
/** States in which the socket has no owner and shows uid 0: TIME_WAIT, and LISTEN, which has no peer. */
const OWNERLESS = new Set(['06', LISTENING]);
/** A socket that its process closed shows it, too: a client that sends a request and leaves must not pass as root. */
const NO_INODE = '0';

/**
 * Calls `found` with each socket of a table (proc(5)) whose other end is `end`: where it is, and whose it is; null: nobody's any
 * more. Looks for `end` instead of reading every line, because others of this machine may have tens of thousands of sockets.
 */
export function eachPeer(table: string, end: string, found: (peer: string, uid: number | null) => void): void {
  const wanted = ` ${end} `;
  for (let at = table.indexOf(wanted); at !== -1; at = table.indexOf(wanted, at + 1)) {
    if (table[at - 1] === ':') continue; // a socket at this end
    const { local, state, uid, inode } = lineAt(table, at);
    const isOwned = !OWNERLESS.has(state) && inode !== NO_INODE && /^\d+$/.test(uid);
    found(local, isOwned ? Number(uid) : null);
  }
}

/** Who listens on an address, and who on all addresses, where no socket of the address itself comes first. */
export type Listeners = { readonly here: readonly number[]; readonly everywhere: readonly number[] };

/** The owners of the sockets of a table that take connections to `address` and `port`. */
export function listenersIn(table: string, address: string, port: number): Listeners {
  const [here, everywhere] = [endForms(address, port), [...endForms('0.0.0.0', port), ...endForms('::', port)]];
  const wanted = `${portForm(port)} `;
  const found: { local: string; uid: number }[] = [];
  for (let at = table.indexOf(wanted); at !== -1; at = table.indexOf(wanted, at + 1)) {
    const { local, state, uid } = lineAt(table, at);
    if (state === LISTENING && /^\d+$/.test(uid)) found.push({ local, uid: Number(uid) });
  }
  const uidsAt = (ends: readonly string[]): number[] =>
    found.flatMap(({ local, uid }) => (ends.includes(local) ? [uid] : []));
  return { here: uidsAt(here), everywhere: uidsAt(everywhere) };
}

function lineAt(table: string, at: number) {
  const end = table.indexOf('\n', at);
  const line = table.slice(table.lastIndexOf('\n', at) + 1, end === -1 ? table.length : end);
  const [, local = '', , state = '', , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
  return { local, state, uid, inode };
}

/** The kernel gives a page with each read: 64 are some milliseconds, whatever else waits. */
const READS_AT_ONCE = 64;

/** A table in pieces of whole lines; nothing if this machine has none. Let others have their turn between pieces. */
export function* piecesOf(path: string): Generator<string> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    const page = Buffer.allocUnsafe(PAGE_BYTES);
    let text = '';
    for (let reads = 1; ; reads++) {
      const bytes = readSync(file, page, 0, page.length, null);
      text += page.toString('latin1', 0, bytes);
      if (bytes > 0 && reads % READS_AT_ONCE !== 0) continue;
      const whole = bytes === 0 ? text.length : text.lastIndexOf('\n') + 1;
      yield text.slice(0, whole);
      if (bytes === 0) return;
      text = text.slice(whole);
    }
  } finally {
    closeSync(file);
  }
}

const PAGE_BYTES = 65_536;

/** `ADDRESS:PORT` as the tables write it, also in the form that the other address family uses for the same end. */
export function endForms(address: string | undefined, port: number | undefined): readonly string[] {
  if (address === undefined || port === undefined) return [];
  const suffix = portForm(port);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (mapped.includes('.')) {
    const v4 = hexOfV4(mapped);
    return [v4 + suffix, `0000000000000000FFFF0000${v4}${suffix}`];
  }
  return [hexOfV6(mapped) + suffix];
}

const portForm = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
const byte = (value: number): string => value.toString(16).toUpperCase().padStart(2, '0');

/** The kernel prints words in the machine's byte order, which is little-endian on all supported machines. */
const hexOfV4 = (address: string): string => address.split('.').map(Number).toReversed().map(byte).join('');

function hexOfV6(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(8 - first.length - last.length, 0)).fill('0');
  const bytes = [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  const words = [0, 4, 8, 12].map((at) => bytes.slice(at, at + 4).toReversed());
  return words.flat().map(byte).join('');
}
