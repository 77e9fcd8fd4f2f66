import { isStartError } from '../../domain/failures/failures.ts';
import { mainContainer } from '../../domain/task/pod-template.ts';
import type { AttemptRecord } from '../../ports/job-store.ts';
import type { LogLine, LogReader } from '../../ports/log-reader.ts';
import type { PodFacts } from './pod-facts.ts';
import type { PodObject } from './render-pod.ts';

/** The kubelet's limits: MaxContainerTerminationMessageLogLines and MaxContainerTerminationMessageLogLength. */
const LINES_MAX = 80;
const BYTES_MAX = 2048;
/** A page of a log may be empty although there are earlier ones. */
const PAGES_MAX = 4;

/**
 * The Pod with the end of its failed container's log as the termination message, if its template asks for that:
 * `terminationMessagePolicy: FallbackToLogsOnError`. The file that `File` means cannot be read from Fargate, so it counts as
 * empty. It costs a read of a log, so lists and watches do without it.
 *
 * @throws what the reader throws
 */
export async function withTerminationMessage(pod: PodObject, facts: PodFacts, logs: LogReader): Promise<PodObject> {
  const record = failedRecord(facts);
  if (record === null || record.taskArn === null) return pod;
  const container = record.ending.container ?? mainContainer(facts.spec.manifest).name;
  if (!fallsBack(facts, container)) return pod;
  const message = await endOfLog({ taskArn: record.taskArn, container }, logs);
  return message === '' ? pod : withMessage(pod, container, message);
}

/** How the last container that ended has failed; null: it has not, or never ran. */
function failedRecord({ record, before }: PodFacts): AttemptRecord | null {
  const last = record ?? before;
  if (last === null || isStartError(last)) return null;
  const { exitCode } = last.ending;
  return exitCode === null || exitCode === 0 ? null : last;
}

function fallsBack({ spec }: PodFacts, container: string): boolean {
  const { containers, initContainers = [] } = spec.manifest.spec.template.spec;
  const found = [...containers, ...initContainers].find(({ name }) => name === container);
  return found?.terminationMessagePolicy === 'FallbackToLogsOnError';
}

async function endOfLog(
  stream: Omit<Parameters<LogReader['readBack']>[0], 'before'>,
  logs: LogReader,
): Promise<string> {
  let lines: readonly LogLine[] = [];
  let before: string | null = null;
  for (let pages = 0; pages < PAGES_MAX && lines.length < LINES_MAX; pages++) {
    const page = await logs.readBack({ ...stream, before, linesMax: LINES_MAX - lines.length });
    if (page.kind === 'none') break;
    lines = [...page.lines, ...lines];
    if (page.previous === before) break;
    before = page.previous;
  }
  return lastBytes(
    lines
      .slice(-LINES_MAX)
      .map(({ text, continues }) => (continues === undefined ? `${text}\n` : text))
      .join(''),
  );
}

/** The end of a text, without half a character at its beginning. */
function lastBytes(text: string): string {
  const bytes = Buffer.from(text);
  let from = Math.max(bytes.length - BYTES_MAX, 0);
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return bytes.toString('utf8', from);
}

type Statuses = NonNullable<PodObject['status']['containerStatuses']>;

function withMessage(pod: PodObject, container: string, message: string): PodObject {
  const told = (state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const { terminated } = state;
    return typeof terminated === 'object' && terminated !== null ? { terminated: { ...terminated, message } } : state;
  };
  const tell = (statuses: Statuses): Statuses =>
    statuses.map((each) =>
      each.name === container ? { ...each, state: told(each.state), lastState: told(each.lastState) } : each,
    );
  const { containerStatuses, initContainerStatuses } = pod.status;
  return {
    ...pod,
    status: {
      ...pod.status,
      ...(initContainerStatuses === undefined ? {} : { initContainerStatuses: tell(initContainerStatuses) }),
      ...(containerStatuses === undefined ? {} : { containerStatuses: tell(containerStatuses) }),
    },
  };
}
