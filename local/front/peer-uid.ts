import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Both ends of a connection as the server sees them. */
export type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

/** `unknown`: this machine does not tell (no Linux), or the connection is gone already. */
export type Peer = { readonly kind: 'user'; readonly uid: number } | { readonly kind: 'unknown' };

/** IPv6 first: a client may reach 127.0.0.1 through an IPv6 socket, then it is listed there with mapped addresses. */
const TABLES = ['/proc/net/tcp6', '/proc/net/tcp'];

/**
 * Who is at the other end of a connection over loopback. A login node has many users, and a port on 127.0.0.1 is open
 * to them all; the kernel says whose socket it is.
 */
export async function peerOf(ends: Ends): Promise<Peer> {
  for (const path of TABLES) {
    const table = await readFile(path, 'latin1').catch(() => null);
    const uid = table === null ? null : uidInTable(table, ends);
    if (uid !== null) return { kind: 'user', uid };
  }
  return { kind: 'unknown' };
}

/** States in which nobody owns the socket any more, so that it says uid 0: TIME_WAIT; and LISTEN, which has no peer. */
const OWNERLESS = new Set(['06', '0A']);
/** So does a socket that its process has closed: who sends a request and leaves at once must not pass for root. */
const NO_INODE = '0';

/**
 * The owner of the peer's socket by the text of /proc/net/tcp or tcp6 (proc(5)); null: it is not listed. The peer's
 * socket is the one whose local end is our remote end and the other way round; addresses count, too, for a stranger may
 * use the same port on another address of 127.0.0.0/8.
 */
export function uidInTable(table: string, { remoteAddress, remotePort, localAddress, localPort }: Ends): number | null {
  const theirs = endForms(remoteAddress, remotePort);
  const ours = endForms(localAddress, localPort);
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', remote = '', state = '', , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    if (!theirs.has(local) || !ours.has(remote) || OWNERLESS.has(state) || inode === NO_INODE) continue;
    if (/^\d+$/.test(uid)) return Number(uid);
  }
  return null;
}

/** `ADDRESS:PORT` as the tables write it, also in the form that the other family has for the same end. */
function endForms(address: string | undefined, port: number | undefined): ReadonlySet<string> {
  if (address === undefined || port === undefined) return new Set();
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  if (mapped.includes('.')) {
    const v4 = hexOfV4(mapped);
    return new Set([v4 + suffix, `0000000000000000FFFF0000${v4}${suffix}`]);
  }
  return new Set([hexOfV6(mapped) + suffix]);
}

const byte = (value: number): string => value.toString(16).toUpperCase().padStart(2, '0');

/** The kernel prints words as the machine holds them, which is little-endian wherever we run. */
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
