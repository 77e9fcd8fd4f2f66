import { type FieldError, forbidden, invalid, notSupported } from '../../schema/object/field-error.ts';
import type { LogStamp } from './log-stamps.ts';
import { type Parsed, bad, flagOf, ok } from '../http/query.ts';
import { type StatusError, invalidObject } from '../http/status-error.ts';

/** What a client requests of a log. */
export type LogOptions = {
  readonly container: string;
  readonly previous: boolean;
  /** null: all of them */
  readonly tailLines: number | null;
  /** null: all of it */
  readonly limitBytes: number | null;
  /** Earlier lines are omitted; null: none are. */
  readonly since: LogStamp | null;
  readonly timestamps: boolean;
  readonly follow: boolean;
};

/** Names of a Pod's containers. */
type ContainerNames = { readonly containers: readonly string[]; readonly initContainers: readonly string[] };

/**
 * Parses the options of `GET …/log` by Kubernetes' rules for PodLogOptions; the container may be omitted if there is only one
 * apart from init containers. Unsupported options are refused, not ignored.
 */
export function parseLogOptions(
  query: Readonly<Record<string, string>>,
  podName: string,
  names: ContainerNames,
  now: number,
): Parsed<LogOptions> {
  const tail = integer('tailLines', query['tailLines']);
  if (tail.kind === 'bad') return tail;
  const limit = integer('limitBytes', query['limitBytes']);
  if (limit.kind === 'bad') return limit;
  const seconds = integer('sinceSeconds', query['sinceSeconds']);
  if (seconds.kind === 'bad') return seconds;
  const since = timeOf('sinceTime', query['sinceTime']);
  if (since.kind === 'bad') return since;
  const given = { tail: tail.value, limit: limit.value, seconds: seconds.value, since: since.value?.atMs ?? null };
  const errors = errorsOf({ ...given, stream: query['stream'] });
  if (errors.length > 0) return { kind: 'bad', error: invalidObject(LOG_OPTIONS, podName, errors) };
  const container = chooseContainer(query['container'] ?? '', podName, names);
  if (container.kind === 'bad') return container;
  return ok({
    container: container.value,
    previous: flagOf(query['previous']),
    tailLines: given.tail,
    limitBytes: given.limit,
    since: given.seconds === null ? since.value : { atMs: now - given.seconds * 1000, nanos: 0 },
    timestamps: flagOf(query['timestamps']),
    follow: flagOf(query['follow']),
  });
}

const LOG_OPTIONS = { group: '', plural: 'podlogoptions', kind: 'PodLogOptions' };

/** Kubernetes' validation of PodLogOptions (pkg/apis/core/validation), and what Muster cannot do. */
function errorsOf({
  tail,
  limit,
  seconds,
  since,
  stream,
}: Readonly<Record<'tail' | 'limit' | 'seconds' | 'since', number | null>> & {
  readonly stream: string | undefined;
}): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (tail !== null && tail < 0) errors.push(invalid('tailLines', tail, 'must be greater than or equal to 0'));
  if (limit !== null && limit < 1) errors.push(invalid('limitBytes', limit, 'must be greater than 0'));
  if (seconds !== null && since !== null)
    errors.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (seconds !== null && seconds < 1) errors.push(invalid('sinceSeconds', seconds, 'must be greater than 0'));
  if (stream === 'Stdout' || stream === 'Stderr')
    errors.push(forbidden('stream', 'what a task prints is kept as one stream here; leave it out or ask for "All"'));
  else if (stream !== undefined && stream !== '' && stream !== 'All')
    errors.push(notSupported('stream', stream, ['All', 'Stderr', 'Stdout']));
  return errors;
}

/** An int64 from a query; null if it is missing or empty. */
function integer(name: string, text: string | undefined): Parsed<number | null> {
  if (text === undefined || text === '') return ok(null);
  if (/^[+-]?\d{1,18}$/.test(text)) return ok(Number(text));
  const why = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  return bad(`${name}: strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.(\d{1,30}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** What is finer than nanoseconds is cut off. */
function timeOf(name: string, text: string | undefined): Parsed<LogStamp | null> {
  if (text === undefined || text === '') return ok(null);
  // An unescaped plus sign has become a space.
  const found = RFC3339.exec(text.replace(' ', '+'));
  const [, fraction = ''] = found ?? [];
  const at = found === null ? Number.NaN : Date.parse(found[0].toUpperCase());
  return Number.isNaN(at)
    ? bad(`${name}: Invalid value: ${JSON.stringify(text)}: must be an RFC 3339 time, such as 2026-11-21T09:30:00.5Z`)
    : ok({ atMs: at, nanos: Number(fraction.padEnd(9, '0').slice(3, 9)) });
}

function chooseContainer(
  container: string,
  podName: string,
  { containers, initContainers }: ContainerNames,
): { readonly kind: 'ok'; readonly value: string } | { readonly kind: 'bad'; readonly error: StatusError } {
  const [only, ...others] = containers;
  if (container === '' && others.length > 0)
    return bad(
      `a container name must be specified for pod ${podName}, choose one of: [${[...initContainers, ...containers].join(' ')}]`,
    );
  const chosen = container === '' ? (only ?? '') : container;
  return containers.includes(chosen) || initContainers.includes(chosen)
    ? ok(chosen)
    : bad(`container ${chosen} is not valid for pod ${podName}`);
}
