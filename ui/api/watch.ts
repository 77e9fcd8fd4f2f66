import type { KubeObject } from '../model/objects.ts';
import { type Known, type WatchEvent, foldEvents, knownOf } from '../model/fold-events.ts';
import { cutLines } from '../model/stream-lines.ts';
import { ApiError, ask, askJson, textOf, wordsOf } from './client.ts';

export type WatchState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'live' }
  /** The connection is gone; it is tried again. */
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'refused'; readonly code: number; readonly why: string };

export type Watched<T extends KubeObject> = { readonly objects: ReadonlyMap<string, T>; readonly state: WatchState };

const PAGE = 500;
const FLUSH_MS = 150;
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * Lists objects and watches them, until it is stopped. A page that nobody sees holds no connection: browsers allow a server six
 * at once, for all its tabs.
 *
 * @param query words of the list, such as a selector
 */
export function watchObjects<T extends KubeObject>(
  path: string,
  query: Readonly<Record<string, string>>,
  onChange: (watched: Watched<T>) => void,
): () => void {
  let known: Known<T> | null = null;
  let failures = 0;
  let stopped = false;
  let connection: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;

  const tell = (state: WatchState): void => {
    if (!stopped) onChange({ objects: known?.objects ?? new Map(), state });
  };

  async function follow(aborted: AbortSignal): Promise<void> {
    if (known === null || known.isExpired) known = await listAll<T>(path, query, aborted);
    failures = 0;
    tell({ kind: 'live' });
    const words = new URLSearchParams({
      ...query,
      watch: '1',
      allowWatchBookmarks: 'true',
      resourceVersion: known.version,
    });
    const response = await ask(`${path}?${words}`, { signal: aborted });
    let rest = '';
    let waiting: WatchEvent<T>[] = [];
    const flush = (): void => {
      timer = null;
      if (known === null || aborted.aborted) return;
      known = foldEvents(known, waiting);
      waiting = [];
      tell({ kind: 'live' });
    };
    for await (const text of textOf(response)) {
      const cut = cutLines(rest, text);
      ({ rest } = cut);
      for (const line of cut.lines) if (line.trim() !== '') waiting.push(JSON.parse(line) as WatchEvent<T>);
      if (waiting.length > 0) timer ??= setTimeout(flush, FLUSH_MS);
    }
    if (timer !== null) clearTimeout(timer);
    flush();
  }

  async function run(): Promise<void> {
    const mine = new AbortController();
    connection = mine;
    while (!mine.signal.aborted) {
      try {
        await follow(mine.signal);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS[0])); // some servers end a watch as soon as it has said something
      } catch (error) {
        if (mine.signal.aborted) return;
        if (error instanceof ApiError && error.code === 410) known = null;
        else if (error instanceof ApiError && error.code < 500 && error.code !== 429) {
          tell({ kind: 'refused', code: error.code, why: error.message });
          return;
        } else {
          tell({ kind: 'lost', why: wordsOf(error) });
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
          failures++;
        }
      }
    }
  }

  const onSeen = (): void => {
    connection?.abort();
    connection = null;
    if (document.visibilityState === 'visible') void run();
  };
  document.addEventListener('visibilitychange', onSeen);
  onSeen();
  return () => {
    stopped = true;
    document.removeEventListener('visibilitychange', onSeen);
    if (timer !== null) clearTimeout(timer);
    connection?.abort();
  };
}

type List<T> = {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
};

async function listAll<T extends KubeObject>(
  path: string,
  query: Readonly<Record<string, string>>,
  aborted: AbortSignal,
): Promise<Known<T>> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const words = new URLSearchParams({
      ...query,
      limit: String(PAGE),
      ...(next === undefined ? {} : { continue: next }),
    });
    const page = await askJson<List<T>>(`${path}?${words}`, { signal: aborted });
    items.push(...page.items);
    next = page.metadata.continue === '' ? undefined : page.metadata.continue;
    if (next === undefined) return knownOf(items, page.metadata.resourceVersion);
  }
}
