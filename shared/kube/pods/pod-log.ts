import type { TaskArn } from '../../domain/base/ids.ts';
import { causeLine, isStartError } from '../../domain/diagnose/failures.ts';
import { launchRowOf } from '../../domain/scoreboard/launch-row.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JobStore } from '../../ports/job-store.ts';
import type { LogLine, LogReader } from '../../ports/log-reader.ts';
import type { PodFacts } from './pod-facts.ts';
import type { LogOptions } from './pod-log-options.ts';
import { podStatus } from './render-pod-status.ts';

/** The task whose log is requested; `hasEnded`: nothing more comes from it, except what is still in transit. */
export type LogSource =
  | { readonly kind: 'task'; readonly taskArn: TaskArn; readonly hasEnded: boolean }
  /** In Kubernetes' words, which clients print. */
  | { readonly kind: 'none'; readonly why: string };

/**
 * Which task's log a container has: the kubelet decides it by the container's state. One that waits to restart shows its last
 * output. For one that never started there is nothing to show, so the answer says why; a kubelet may answer with an empty text.
 */
export async function findLogSource(
  pod: PodFacts,
  podName: string,
  { container, previous }: Pick<LogOptions, 'container' | 'previous'>,
  jobs: Pick<JobStore, 'readLaunches'>,
): Promise<LogSource> {
  const quoted = `container ${JSON.stringify(container)} in pod ${JSON.stringify(podName)}`;
  const { state, launch, record, before } = pod;
  const crashed = before?.judgement.as === 'restarted' ? before.taskArn : null;
  if (previous)
    return crashed === null
      ? { kind: 'none', why: `previous terminated ${quoted} not found` }
      : { kind: 'task', taskArn: crashed, hasEnded: true };
  const isInit = (pod.spec.manifest.spec.template.spec.initContainers ?? []).some(({ name }) => name === container);
  // A task that is being launched may have reached its init containers.
  if (launch?.state === 'launched' && (state === 'running' || (state === 'launched' && isInit)))
    return { kind: 'task', taskArn: launch.taskArn, hasEnded: false };
  if (state === 'claimed' || state === 'launched' || state === 'running' || state === 'waiting')
    return crashed === null || (before !== null && isStartError(before) && !isInit)
      ? { kind: 'none', why: `${quoted} is ${waitsFor(pod, container)}` }
      : { kind: 'task', taskArn: crashed, hasEnded: true };
  const whyNot = isInit ? null : neverStarted(pod);
  if (whyNot !== null) return { kind: 'none', why: `${quoted} never started: ${whyNot}` };
  const taskArn = record?.taskArn ?? (await launchedTask(pod, jobs));
  return taskArn === null
    ? { kind: 'none', why: `${quoted} is terminated` }
    : { kind: 'task', taskArn, hasEnded: true };
}

/** Why the containers of an ended Pod never started; null: they did, as far as is known. */
function neverStarted({ record, status, spec }: PodFacts): string | null {
  if (record === null || record.times.startedAt !== null) return null;
  const { ending } = record;
  const cause = causeLine(record, status.phase);
  if (isStartError(record) || ending.exitCode === null) return cause;
  const isOfInit = (spec.manifest.spec.template.spec.initContainers ?? []).some(
    ({ name }) => name === ending.container,
  );
  return isOfInit ? `init container ${ending.container} failed: ${cause}` : null;
}

/** An unreported end does not know its task. */
async function launchedTask({ spec, index, attempt }: PodFacts, jobs: Pick<JobStore, 'readLaunches'>) {
  const { slots } = await jobs.readLaunches(spec.identity.uid, launchRowOf(index));
  const slot = slots.find((each) => each.index === index && each.attempt === attempt);
  return slot?.state === 'launched' ? slot.taskArn : null;
}

/** Why a container has no log, in the kubelet's words. */
function waitsFor(pod: PodFacts, container: string): string {
  const { containerStatuses = [], initContainerStatuses = [] } = podStatus(pod);
  const status = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
  const waiting = status?.state['waiting'];
  const reason = textIn(waiting, 'reason') ?? 'ContainerCreating';
  const message = textIn(waiting, 'message') ?? '';
  const word = reason === 'ImagePullBackOff' ? 'trying and failing to pull image' : reason;
  return `waiting to start: ${word}${message === '' ? '' : `: ${message}`}`;
}

function textIn(object: unknown, key: string): string | null {
  const value: unknown = typeof object === 'object' && object !== null ? Reflect.get(object, key) : null;
  return typeof value === 'string' ? value : null;
}

/** How often a followed log is polled: less often the longer it is quiet, because all followers share one quota. */
const POLL_MS = { first: 1000, most: 4000 } as const;
const QUIETER = 1.5;

/** How a log is sent, apart from what is requested. */
type LogDelivery = {
  readonly endsAt: number;
  readonly isCancelled: () => boolean;
  /** The task has ended. */
  readonly checkEnded: () => Promise<boolean>;
};

/**
 * The requested text of a task's log, page by page: only one page is in memory. Following ends when the task has ended and
 * nothing new came after that, at `endsAt`, or when the client has disconnected.
 */
export async function* logText(
  source: { readonly taskArn: TaskArn; readonly hasEnded: boolean },
  options: LogOptions,
  delivery: LogDelivery,
  deps: { readonly logs: LogReader; readonly clock: Clock },
): AsyncGenerator<string> {
  const shown = ({ atMs, text }: LogLine): string => `${options.timestamps ? `${nanoTime(atMs)} ` : ''}${text}\n`;
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const lines of wantedLines(source, options, delivery, deps)) {
    const text = lines.map(shown).join('');
    const bytes = leftBytes === Number.POSITIVE_INFINITY ? 0 : Buffer.byteLength(text);
    if (text !== '') yield bytes > leftBytes ? cut(text, leftBytes) : text;
    leftBytes -= bytes;
    if (leftBytes <= 0) return;
  }
}

/** RFC 3339 with nanoseconds, as the kubelet writes it; log timestamps are no finer than milliseconds. */
const nanoTime = (atMs: number): string => new Date(atMs).toISOString().replace('Z', '000000Z');

/** The beginning of a text, without half a character at its end. */
const cut = (text: string, bytes: number): string =>
  new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });

async function* wantedLines(
  { taskArn, hasEnded }: { readonly taskArn: TaskArn; readonly hasEnded: boolean },
  options: LogOptions,
  { endsAt, isCancelled, checkEnded }: LogDelivery,
  { logs, clock }: { readonly logs: LogReader; readonly clock: Clock },
): AsyncGenerator<readonly LogLine[]> {
  const stream = { taskArn, container: options.container };
  const wanted = ({ atMs }: LogLine): boolean => options.sinceMs === null || atMs >= options.sinceMs;
  const tail = options.tailLines === null ? null : await tailOf(stream, options.tailLines, wanted, isCancelled, logs);
  let after: string | null = tail?.next ?? null;
  // A log that is not followed ends with the tail, although more may arrive while it is read.
  let left = options.follow || options.tailLines === null ? Number.POSITIVE_INFINITY : options.tailLines;
  if (tail !== null) {
    yield tail.lines;
    left -= tail.lines.length;
  }
  let isOver = hasEnded;
  let pollMs: number = POLL_MS.first;
  while (!isCancelled() && left > 0) {
    const page = await logs.read({ ...stream, after });
    if (page.kind === 'lines' && page.next !== after) {
      after = page.next;
      const lines = page.lines.filter(wanted).slice(0, left);
      yield lines;
      left -= lines.length;
      if (lines.length > 0) pollMs = POLL_MS.first;
      continue;
    }
    if (page.kind === 'later') {
      if (clock.now() >= endsAt) {
        if (options.follow) return;
        // An answer that ends here would look whole: it breaks off instead.
        throw new Error('too many calls to read the whole log');
      }
      await clock.sleep(POLL_MS.most);
      continue;
    }
    // Everything so far has been read.
    if (!options.follow || isOver || clock.now() >= endsAt) return;
    await clock.sleep(pollMs);
    pollMs = Math.min(pollMs * QUIETER, POLL_MS.most);
    // Checked before the next read: what was printed before the end is read after it.
    isOver = await checkEnded();
  }
}

/**
 * The first lines of the tail, and where the rest of it continues. The search goes from the end, a page at a time, and keeps
 * only the last page: a tail may be as long as the log.
 */
async function tailOf(
  stream: { readonly taskArn: TaskArn; readonly container: string },
  count: number,
  wanted: (line: LogLine) => boolean,
  isCancelled: () => boolean,
  logs: LogReader,
): Promise<{ readonly lines: readonly LogLine[]; readonly next: string } | null> {
  let found: { readonly lines: readonly LogLine[]; readonly next: string } | null = null;
  let missing = count;
  for (let before: string | null = null; !isCancelled(); ) {
    const page = await logs.readBack({ ...stream, before });
    if (page.kind === 'none') return found;
    const lines = page.lines.filter(wanted);
    const isStart = page.previous === before || lines.length < page.lines.length;
    const kept = lines.slice(Math.max(lines.length - missing, 0));
    if (found === null || kept.length > 0) found = { lines: kept, next: page.next };
    missing -= kept.length;
    if (missing <= 0 || isStart) return found;
    before = page.previous;
  }
  return found;
}
