import { TABLES, listenersIn, piecesOf } from '../../local/door/socket-table.ts';
import { Failure } from '../failure.ts';
import { LOOPBACK, type Target } from './kubeconfig.ts';

/**
 * Refuses a server on this machine that another user runs: while `muster local` is down, anybody may listen on its port, and would
 * get manifests with their variables, and the token. Only Linux reports who listens.
 *
 * @throws Failure when it is neither this user's nor root's
 */
export async function checkPortOwner({ server, file }: Pick<Target, 'server' | 'file'>): Promise<void> {
  const { hostname, port, protocol } = new URL(server);
  const me = process.getuid?.();
  if (!LOOPBACK.includes(hostname) || me === undefined) return;
  const wanted = port === '' ? ({ 'http:': 80 }[protocol] ?? 443) : Number(port);
  for (const table of TABLES)
    for await (const piece of piecesOf(table)) {
      const stranger = strangerIn(piece, wanted, me);
      if (stranger !== null)
        throw new Failure(
          `error: ${server} (${file}): another user (uid ${stranger}) listens on this port, so nothing was sent there\n` +
            'Start your server with `muster local`: it takes another port.',
        );
    }
}

/** Who listens on a port by a table, if it is neither `me` nor root. Pure. */
const strangerIn = (table: string, port: number, me: number): number | null =>
  listenersIn(table, port).find((uid) => uid !== me && uid !== 0) ?? null;
