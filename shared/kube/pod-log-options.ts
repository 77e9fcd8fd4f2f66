import { type Fault, forbidden, invalid, notSupported } from '../schema/fault.ts';
import { type Parsed, bad, flagOf, ok } from './query.ts';
import { type StatusError, invalidObject } from './status-error.ts';

/** What a client wants of a log. */
export type LogOptions = {
  readonly container: string;
  readonly previous: boolean;
  /** null: all there are */
  readonly tailLines: number | null;
  /** null: all there are */
  readonly limitBytes: number | null;
  /** Lines that were printed before are left out; null: none is. */
  readonly sinceMs: number | null;
  readonly timestamps: boolean;
  readonly follow: boolean;
};

/** Names of a Pod's containers. */
type ContainerNames = { readonly containers: readonly string[]; readonly initContainers: readonly string[] };

/**
 * Reads the options of `GET …/log` by Kubernetes' rules for PodLogOptions; the container may be left out where there is
 * one beside init containers. What is not supported is refused, not ignored.
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
  const given = { tail: tail.value, limit: limit.value, seconds: seconds.value, since: since.value };
  const faults = faultsOf({ ...given, stream: query['stream'] });
  if (faults.length > 0) return { kind: 'bad', error: invalidObject(LOG_OPTIONS, podName, faults) };
  const container = chooseContainer(query['container'] ?? '', podName, names);
  if (container.kind === 'bad') return container;
  return ok({
    container: container.value,
    previous: flagOf(query['previous']),
    tailLines: given.tail,
    limitBytes: given.limit,
    sinceMs: given.seconds === null ? given.since : now - given.seconds * 1000,
    timestamps: flagOf(query['timestamps']),
    follow: flagOf(query['follow']),
  });
}

const LOG_OPTIONS = { group: '', plural: 'podlogoptions', kind: 'PodLogOptions' };

/** Kubernetes' validation of PodLogOptions (pkg/apis/core/validation), and what Muster cannot do. */
function faultsOf({
  tail,
  limit,
  seconds,
  since,
  stream,
}: Readonly<Record<'tail' | 'limit' | 'seconds' | 'since', number | null>> & {
  readonly stream: string | undefined;
}): readonly Fault[] {
  const faults: Fault[] = [];
  if (tail !== null && tail < 0) faults.push(invalid('tailLines', tail, 'must be greater than or equal to 0'));
  if (limit !== null && limit < 1) faults.push(invalid('limitBytes', limit, 'must be greater than 0'));
  if (seconds !== null && since !== null)
    faults.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (seconds !== null && seconds < 1) faults.push(invalid('sinceSeconds', seconds, 'must be greater than 0'));
  if (stream === 'Stdout' || stream === 'Stderr')
    faults.push(forbidden('stream', 'what a task prints is kept as one stream here; leave it out or ask for "All"'));
  else if (stream !== undefined && stream !== '' && stream !== 'All')
    faults.push(notSupported('stream', stream, ['All', 'Stderr', 'Stdout']));
  return faults;
}

/** An int64 of a query; null where it is absent or empty. */
function integer(name: string, text: string | undefined): Parsed<number | null> {
  if (text === undefined || text === '') return ok(null);
  if (/^[+-]?\d{1,18}$/.test(text)) return ok(Number(text));
  const why = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  return bad(`${name}: strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,30})?([Zz]|[+-]\d{2}:\d{2})$/;

function timeOf(name: string, text: string | undefined): Parsed<number | null> {
  if (text === undefined || text === '') return ok(null);
  // A plus sign that was not escaped has become a blank.
  const at = RFC3339.test(text.replace(' ', '+')) ? Date.parse(text.replace(' ', '+').toUpperCase()) : Number.NaN;
  return Number.isNaN(at)
    ? bad(`${name}: Invalid value: ${JSON.stringify(text)}: must be an RFC 3339 time, such as 2026-11-21T09:30:00.5Z`)
    : ok(at);
}

function chooseContainer(
  container: string,
  podName: string,
  { containers, initContainers }: ContainerNames,
): { readonly kind: 'ok'; readonly value: string } | { readonly kind: 'bad'; readonly error: StatusError } {
  const [only, ...others] = containers;
  if (container === '' && others.length > 0)
    return bad(
      `a container name must be specified for pod ${podName}, choose one of: [${containers.join(' ')}]` +
        (initContainers.length === 0 ? '' : ` or one of the init containers: [${initContainers.join(' ')}]`),
    );
  const chosen = container === '' ? (only ?? '') : container;
  return containers.includes(chosen) || initContainers.includes(chosen)
    ? ok(chosen)
    : bad(`container ${chosen} is not valid for pod ${podName}`);
}
