import { type Listeners, TABLES, listenersIn, piecesOf } from '../../local/door/socket-table.ts';
import { Failure } from '../shell/failure.ts';
import { LOOPBACK, type Target } from './kubeconfig.ts';

/**
 * Refuses a server on this machine that another user runs: while `muster local` is down, anybody may listen on its port, and would
 * get manifests with their variables, and the token. Only Linux reports who listens.
 *
 * @throws Failure when it is neither this user's nor root's
 */
export function checkPortOwner({ server, file }: Pick<Target, 'server' | 'file'>): void {
  const { hostname, port, protocol } = new URL(server);
  const me = process.getuid?.();
  if (!LOOPBACK.includes(hostname) || me === undefined) return;
  const wanted = port === '' ? ({ 'http:': 80 }[protocol] ?? 443) : Number(port);
  const stranger = strangerAmong(listenersAt(hostname, wanted), me);
  if (stranger === null) return;
  throw new Failure(
    `error: ${server} (${file}): another user (uid ${stranger}) listens on this port, so nothing was sent there\n` +
      'Start your server with `muster local`: it takes another port.',
  );
}

function listenersAt(hostname: string, port: number): readonly Listeners[] {
  const addresses = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')];
  const found: Listeners[] = [];
  for (const table of TABLES)
    for (const piece of piecesOf(table)) found.push(...addresses.map((address) => listenersIn(piece, address, port)));
  return found;
}

/**
 * Who gets the connection, if that is neither `me` nor root: who listens on the address itself, else who listens on all. Who listens
 * on another address of this machine gets nothing, and cannot keep `me` from the own server. Pure.
 */
export function strangerAmong(listeners: readonly Listeners[], me: number): number | null {
  const here = listeners.flatMap((each) => each.here);
  const uids = here.length > 0 ? here : listeners.flatMap((each) => each.everywhere);
  return uids.find((uid) => uid !== me && uid !== 0) ?? null;
}
