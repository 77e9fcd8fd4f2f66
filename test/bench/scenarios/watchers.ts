import { type IncomingMessage, get } from 'node:http';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Watches to open: so many of each path. */
export type WatchersOptions = {
  readonly url: string;
  readonly watches: readonly { readonly path: string; readonly count: number }[];
};

/** What the watchers of one path have been told. */
export type WatchersFigures = {
  readonly events: number;
  readonly bytes: number;
  /** What no watch may say, a few of each. */
  readonly oddities: readonly string[];
};

type Event = {
  readonly type: string;
  readonly object: { readonly metadata: { readonly uid: string; readonly resourceVersion: string } };
};

/** The events of one watch, held against what a cache of client-go expects. */
class Told {
  readonly order: string[] = [];
  readonly oddities: string[] = [];
  readonly #known = new Map<string, number>();

  take({ type, object: { metadata } }: Event): void {
    const { uid, resourceVersion } = metadata;
    const version = Number(resourceVersion);
    const last = this.#known.get(uid);
    if ((type === 'ADDED') !== (last === undefined)) this.oddities.push(`${type} of ${uid}, known: ${last ?? 'no'}`);
    if (last !== undefined && version <= last) this.oddities.push(`${uid} goes from ${last} to ${version}`);
    if (type === 'DELETED') this.#known.delete(uid);
    else this.#known.set(uid, version);
    this.order.push(`${type} ${uid} ${version}`);
  }
}

/**
 * Opens watches, in a process of their own, so that what they take of the machine is not the runtime's: tells its parent
 * `open` when all are, and at every message of its parent how many objects each path's slowest watcher has seen deleted;
 * at `end`, what they received.
 */
export async function watchers({ url, watches }: WatchersOptions): Promise<readonly WatchersFigures[]> {
  const groups = watches.map(({ path, count }) => ({ path, all: Array.from({ length: count }, () => new Told()) }));
  const bytes = groups.map(() => 0);
  const open = groups.flatMap(({ path, all }, group) =>
    all.map(async (told) => {
      const request = get(`${url}${path}`, { agent: false });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode}`);
      createInterface({ input: answer }).on('line', (line) => {
        bytes[group] = (bytes[group] ?? 0) + line.length + 1;
        const text = line.trim();
        if (text !== '') told.take(JSON.parse(text) as Event);
      });
    }),
  );
  await Promise.all(open);
  process.send?.('open');
  for (;;) {
    const [message] = (await once(process, 'message')) as [string];
    if (message === 'end') break;
    const deleted = ({ order }: Told): number => order.filter((line) => line.startsWith('DELETED')).length;
    process.send?.(groups.map(({ all }) => Math.min(...all.map(deleted))));
  }
  return groups.map(({ all }, group) => {
    const orders = new Set(all.map(({ order }) => order.join('\n')));
    return {
      events: all.reduce((sum, { order }) => sum + order.length, 0),
      bytes: bytes[group] ?? 0,
      oddities: [
        ...all.flatMap(({ oddities }) => oddities).slice(0, 10),
        ...(orders.size > 1 ? [`${orders.size} orders`] : []),
      ],
    };
  });
}
