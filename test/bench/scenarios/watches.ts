import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type BenchRuntime, manifestOf, startBench } from './bench-runtime.ts';
import type { WatchersFigures, WatchersOptions } from './watchers.ts';

export type WatchesFigures = {
  readonly idle: number;
  readonly indexes: number;
  /** A Job from its POST until it is complete, each time: nobody watching; idle watches open; and watches of all Jobs. */
  readonly alone: Beside;
  readonly besideIdle: Beside;
  readonly besideFollowers: Beside;
  /** Writers and watchers of all Jobs and Pods, from the first POST until the last watcher has seen the last deletion. */
  readonly crowd: {
    readonly writers: number;
    readonly watchers: number;
    readonly seconds: number;
    /** Of the runtime; the watchers are a process of their own. */
    readonly cpuMs: number;
    /** The same writers without watchers. */
    readonly unwatchedSec: number;
    readonly unwatchedCpuMs: number;
    readonly told: readonly WatchersFigures[];
  };
};

/** How many watches, measurements of a Job, and writers (who are watched by as many watchers). */
export type WatchesOptions = { readonly idle: number; readonly times: number; readonly writers: number };

/** Each Job's seconds, and the CPU time of the runtime, the DynamoDB engine's left out, for all of them. */
type Beside = { readonly seconds: readonly number[]; readonly cpuMs: number };

const INDEXES = 20;
const JOBS = '/apis/batch/v1/jobs';
const ELSEWHERE = '/apis/batch/v1/namespaces/elsewhere/jobs?watch=1';

/** What watches cost those who do not watch, and what a crowd of writers and watchers costs. */
export async function watches({ idle, times, writers }: WatchesOptions): Promise<WatchesFigures> {
  const bench = await startBench({ script: { runMs: 100 } });
  try {
    const alone = await severalTimes(bench, 'alone', times);
    const quiet = await openWatches({ url: bench.url, watches: [{ path: ELSEWHERE, count: idle }] });
    const besideIdle = await severalTimes(bench, 'beside-idle', times);
    await quiet.close();
    const ofJobs = `${JOBS}?watch=1&resourceVersion=${await headOf(bench)}`;
    const followers = await openWatches({ url: bench.url, watches: [{ path: ofJobs, count: idle }] });
    const besideFollowers = await severalTimes(bench, 'beside-followers', times);
    await followers.close();
    const unwatched = await timed(async () => crowd(bench, 'unwatched', writers));
    const half = writers / 2;
    const all = await openWatches({
      url: bench.url,
      watches: [
        { path: `${JOBS}?watch=1&resourceVersion=${await headOf(bench)}`, count: half },
        { path: `/api/v1/pods?watch=1&resourceVersion=${await headOf(bench)}`, count: half },
      ],
    });
    const watched = await timed(async () => {
      await crowd(bench, 'watched', writers);
      await all.untilDeleted(writers);
    });
    return {
      idle,
      indexes: INDEXES,
      alone,
      besideIdle,
      besideFollowers,
      crowd: {
        writers,
        watchers: 2 * half,
        seconds: watched.seconds,
        cpuMs: watched.cpuMs,
        unwatchedSec: unwatched.seconds,
        unwatchedCpuMs: unwatched.cpuMs,
        told: await all.close(),
      },
    };
  } finally {
    await bench.stop();
  }
}

async function severalTimes(bench: BenchRuntime, name: string, times: number): Promise<Beside> {
  process.stderr.write(`  ${name}\n`);
  const seconds: number[] = [];
  const { cpuMs } = await timed(async () => {
    for (let n = 1; n <= times; n++) {
      const askedAt = performance.now();
      await bench.submit(`${name}-${n}`, INDEXES);
      await completed(bench, `${name}-${n}`);
      seconds.push((performance.now() - askedAt) / 1_000);
    }
  });
  return { seconds, cpuMs };
}

/** Asks the API, which both wirings have. */
async function completed({ url }: BenchRuntime, name: string): Promise<void> {
  for (;;) {
    const answer = await ask('GET', `${url}/apis/batch/v1/namespaces/default/jobs/${name}`);
    const { status } = JSON.parse(answer) as { status: { completionTime?: string } };
    if (status.completionTime !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

const ASK_EVERY_MS = 10;

async function timed(work: () => Promise<unknown>): Promise<{ readonly seconds: number; readonly cpuMs: number }> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuMs: (user + system) / 1_000 };
}

async function headOf({ url }: BenchRuntime): Promise<string> {
  const list = (await (await fetch(`${url}${JOBS}?limit=1`)).json()) as { metadata: { resourceVersion: string } };
  return list.metadata.resourceVersion;
}

/** Each writer makes a Job of one index, changes its labels five times, waits until it is complete and deletes it. */
async function crowd({ url }: BenchRuntime, name: string, writers: number): Promise<void> {
  process.stderr.write(`  ${writers} writers, ${name}\n`);
  const jobs = `${url}/apis/batch/v1/namespaces/default/jobs`;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const path = `${jobs}/${name}-${writer}`;
      await ask('POST', jobs, manifestOf(`${name}-${writer}`, 1));
      for (let change = 0; change < 5; change++)
        await ask('PATCH', path, { metadata: { labels: { change: String(change) } } });
      for (let done = false; !done; ) {
        const { status } = JSON.parse(await ask('GET', path)) as { status: { succeeded?: number } };
        done = status.succeeded === 1;
        if (!done) await new Promise((resolve) => setTimeout(resolve, 200));
      }
      await ask('DELETE', path);
    }),
  );
}

/** Connections are kept, as by client-go. */
const AGENT = new Agent({ keepAlive: true });

async function ask(method: string, url: string, body?: object): Promise<string> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const sent = request(url, { method, agent: AGENT, headers: { 'content-type': type } });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.toArray()).join('');
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${url}: ${text}`);
  return text;
}

/** Watches in a process of their own. */
async function openWatches(options: WatchersOptions) {
  const child = fork(process.argv[1] ?? '', ['watchers', JSON.stringify(options)]);
  await answerOf(child);
  const ask = async (message: string): Promise<unknown> => {
    child.send(message);
    return answerOf(child);
  };
  return {
    /** Resolves when every watcher has seen so many deletions. */
    async untilDeleted(count: number): Promise<void> {
      for (;;) {
        const seen = (await ask('seen')) as readonly number[];
        if (Math.min(...seen) >= count) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async close(): Promise<readonly WatchersFigures[]> {
      const told = (await ask('end')) as readonly WatchersFigures[];
      if (child.exitCode === null) await once(child, 'exit');
      return told;
    },
  };
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the watchers ended with ${code}`);
  });
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  ended.catch(() => undefined);
  return answer;
}
