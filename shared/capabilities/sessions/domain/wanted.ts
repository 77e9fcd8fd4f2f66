import type { Streams, Wanted } from './session-plan.ts';

/** The parameters of a request; each may come several times. */
export type Query = Readonly<Record<string, readonly string[] | undefined>>;

/** `container`: as the client names it; null: it names none. */
export type Asked =
  | { readonly kind: 'ok'; readonly wanted: Wanted; readonly container: string | null }
  | { readonly kind: 'bad'; readonly why: string };

/** What a request to `…/exec`, `…/attach`, or `…/portforward` asks for. */
export function wantedIn(subresource: 'exec' | 'attach' | 'portforward', query: Query): Asked {
  if (subresource === 'portforward') return portsIn(query['ports'] ?? []);
  const streams = streamsIn(query);
  if (!streams.stdin && !streams.stdout && !streams.stderr)
    return { kind: 'bad', why: 'you must specify at least 1 of stdin, stdout, stderr' };
  const name = query['container']?.[0] ?? '';
  const container = name === '' ? null : name;
  if (subresource === 'attach') return { kind: 'ok', wanted: { kind: 'attach', ...streams }, container };
  const command = query['command'] ?? [];
  if (command.length === 0 || command[0] === '')
    return { kind: 'bad', why: 'you must specify at least one command for the container' };
  if (command.some((word) => word.includes('\0'))) return { kind: 'bad', why: 'a command cannot contain a NUL' };
  return { kind: 'ok', wanted: { kind: 'exec', command, ...streams }, container };
}

/** With a terminal there is no stream of errors: the terminal shows them. */
function streamsIn(query: Query): Streams {
  const tty = flagIn(query['tty']);
  return {
    stdin: flagIn(query['stdin']),
    stdout: flagIn(query['stdout']),
    stderr: flagIn(query['stderr']) && !tty,
    tty,
  };
}

/** As apimachinery converts a parameter: what is there without a value is true. */
const flagIn = (values: readonly string[] = []): boolean =>
  values[0] !== undefined && !['0', 'false'].includes(values[0].toLowerCase());

const PORTS_MAX = 128;

function portsIn(values: readonly string[]): Asked {
  const words = values.flatMap((value) => value.split(',')).filter((word) => word !== '');
  if (words.length > PORTS_MAX) return { kind: 'bad', why: `at most ${PORTS_MAX} ports can be forwarded at once` };
  const ports: number[] = [];
  for (const word of words) {
    const port = portIn(word);
    if (port === null)
      return { kind: 'bad', why: `query parameter "ports" has an invalid port: ${JSON.stringify(word)}` };
    ports.push(port);
  }
  return { kind: 'ok', wanted: { kind: 'portForward', ports }, container: null };
}

/** null: it is no port. */
export function portIn(word: string): number | null {
  const port = /^\d{1,5}$/.test(word) ? Number(word) : 0;
  return port > 0 && port < 65_536 ? port : null;
}

/** The names of a Pod's containers, and the one that it names as the usual one. */
export type PodContainers = {
  readonly containers: readonly string[];
  readonly initContainers: readonly string[];
  readonly usual: string | undefined;
};

export type Container = { readonly kind: 'ok'; readonly name: string } | { readonly kind: 'bad'; readonly why: string };

/** Which container is meant, in upstream's words where it cannot be said. */
export function containerOf(
  name: string | null,
  pod: string,
  { containers, initContainers, usual }: PodContainers,
): Container {
  const [only, ...others] = containers;
  if (name !== null)
    return containers.includes(name) || initContainers.includes(name)
      ? { kind: 'ok', name }
      : { kind: 'bad', why: `container ${name} is not valid for pod ${pod}` };
  if (usual !== undefined && containers.includes(usual)) return { kind: 'ok', name: usual };
  if (only !== undefined && others.length === 0) return { kind: 'ok', name: only };
  const all = [...initContainers, ...containers].join(' ');
  return { kind: 'bad', why: `a container name must be specified for pod ${pod}, choose one of: [${all}]` };
}

/** Why there is no session with a Pod that is over, in kubectl's words. */
export function overText(wanted: Wanted['kind'], phase: string): string {
  return wanted === 'portForward'
    ? `unable to forward port because pod is not running. Current status=${phase}`
    : `cannot ${wanted === 'exec' ? 'exec into' : 'attach'} a container in a completed pod; current phase is ${phase}`;
}
