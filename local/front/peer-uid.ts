import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Both ends of a connection as the server sees them. */
export type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

/** `unknown`: this machine does not report it (not Linux), or the connection is already gone. */
export type Peer = { readonly kind: 'user'; readonly uid: number } | { readonly kind: 'unknown' };

/** IPv6 first: a client may reach 127.0.0.1 through an IPv6 socket, which is listed there with mapped addresses. */
const TABLES = ['/proc/net/tcp6', '/proc/net/tcp'];

/**
 * Finds the user at the other end of a loopback connection. A login node has many users, and all of them can reach a port
 * on 127.0.0.1; the kernel knows the socket's owner.
 */
export async function peerOf(ends: Ends): Promise<Peer> {
  for (const path of TABLES) {
    const table = await readFile(path, 'latin1').catch(() => null);
    const uid = table === null ? null : uidInTable(table, ends);
    if (uid !== null) return { kind: 'user', uid };
  }
  return { kind: 'unknown' };
}

/** States in which the socket has no owner and shows uid 0: TIME_WAIT, and LISTEN, which has no peer. */
const OWNERLESS = new Set(['06', '0A']);
/** A socket that its process closed shows it, too: a client that sends a request and leaves must not pass as root. */
const NO_INODE = '0';

/**
 * The owner of the peer's socket from the text of /proc/net/tcp or tcp6 (proc(5)); null if it is not listed. The peer's
 * socket is the one whose local end is our remote end and vice versa. Addresses count, too, because another user may use
 * the same port on another address of 127.0.0.0/8.
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

/** `ADDRESS:PORT` as the tables write it, also in the form that the other address family uses for the same end. */
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
