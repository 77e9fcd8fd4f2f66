import { setTimeout as sleep } from 'node:timers/promises';
import { jobsPath, podsPath } from '../../../cli/client/kube-client.ts';
import { type Ground, attemptsOf, createJob, indexed, logOf, podsOf, runJob, shellJob, until } from '../ground.ts';
import { type Question, verdict } from '../question.ts';

/** Logs arrive some seconds after they are printed. */
export const logs: Question<readonly string[]> = {
  name: 'logs',
  asks: 'Are all lines of a task in its log, in their order, the last without its end, too?',
  assumed: 'a thousand and one lines; the driver blocks rather than dropping any',
  async observe(ground) {
    await runJob(ground, 'logs', 'seq 1000; printf last', indexed(1));
    const [attempt] = await attemptsOf(ground, 'logs');
    return logOf(ground, attempt?.pod ?? '', 1_001);
  },
  judge(lines) {
    const expected = [...Array.from({ length: 1_000 }, (_, n) => `${n + 1}`), 'last'];
    return verdict([lines.join() === expected.join()], `${lines.length} lines, the last: ${lines.at(-1) ?? 'none'}`);
  },
};

type FirstLine = { readonly text: string; readonly phase: string };

/** A response that is written bit by bit reaches the client bit by bit. */
export const followedLog: Question<FirstLine> = {
  name: 'followed-log',
  asks: 'Does a line of `logs -f` arrive while the task still runs?',
  assumed: 'a line while the Pod is Running, of a task that sleeps for ten minutes then',
  async observe(ground) {
    const { client, namespace, signal } = ground;
    await createJob(ground, shellJob(ground, 'followed-log', 'echo first; exec sleep 600', indexed(1)));
    const pod = await until(
      ground,
      async () => (await podsOf(ground, 'followed-log')).find(({ status }) => status.phase !== 'Pending') ?? null,
      () => 'a running Pod of Job followed-log',
    );
    const path = `${podsPath(namespace, pod.metadata.name)}/log`;
    for await (const text of client.lines(path, { follow: true }, signal)) {
      const [now] = await podsOf(ground, 'followed-log');
      await client.remove(jobsPath(namespace, 'followed-log'));
      return { text, phase: now?.status.phase ?? 'gone' };
    }
    throw new Error('its log ended without a line');
  },
  judge: ({ text, phase }) => verdict([text === 'first', phase === 'Running'], `${text}, while the Pod is ${phase}`),
};

/** What a watch has sent, with times since it was opened. */
export type WatchSeen = {
  readonly idleMs: number;
  readonly headersMs: number;
  /** Each arrival of bytes; those that are only white space are heartbeats. */
  readonly arrivals: readonly { readonly atMs: number; readonly text: string }[];
  /** When the server, or something before it, ended the watch; null: it did not. */
  readonly endedMs: number | null;
};

/** A watch that has nothing to tell. */
export const idleWatch: Question<WatchSeen> = {
  name: 'idle-watch',
  asks: 'Does a watch without changes stay open for two minutes?',
  assumed: 'headers at once, before there is a byte; a space every 30 s and a bookmark each minute; not cut',
  observe: async (ground) => watched(ground),
  judge({ idleMs, headersMs, arrivals, endedMs }) {
    const spaces = arrivals.filter(({ text }) => text.trim() === '').length;
    const bookmarks = arrivals.filter(({ text }) => text.includes('"BOOKMARK"')).length;
    const firstMs = arrivals[0]?.atMs ?? Number.POSITIVE_INFINITY;
    const sec = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
    const end = endedMs === null ? `open after ${sec(idleMs)}` : `cut after ${sec(endedMs)}`;
    return verdict(
      [endedMs === null, spaces > 0, bookmarks > 0, firstMs - headersMs > 1_000],
      `headers after ${sec(headersMs)}, first byte after ${sec(firstMs)}; ${spaces} heartbeats, ${bookmarks} bookmarks; ${end}`,
    );
  },
};

async function watched({ client, namespace, idleMs, signal }: Ground): Promise<WatchSeen> {
  const list = await client.list(jobsPath(namespace), { fieldSelector: 'metadata.name=nobody' });
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: list.resourceVersion,
    fieldSelector: 'metadata.name=nobody',
  });
  const over = new AbortController();
  const startedMs = performance.now();
  const sinceStart = (): number => performance.now() - startedMs;
  const url = `${client.target.server}${jobsPath(namespace)}?${query.toString()}`;
  const response = await fetch(url, { signal: AbortSignal.any([signal, over.signal]) });
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const headersMs = sinceStart();
  const arrivals: { readonly atMs: number; readonly text: string }[] = [];
  const { body } = response;
  const reading = (async (): Promise<number> => {
    const decoder = new TextDecoder();
    for await (const bytes of body as ReadableStream<Uint8Array>)
      arrivals.push({ atMs: sinceStart(), text: decoder.decode(bytes) });
    return sinceStart();
  })();
  const ended = reading.catch(() => sinceStart()); // a broken connection is an end, too
  const endedMs = await Promise.race([ended, sleep(idleMs, null, { signal })]);
  over.abort();
  return { idleMs, headersMs, arrivals, endedMs };
}
