import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type ContainerSession, SessionError, type TaskSessions } from '../../../../local/container-sessions.ts';
import type { AskUpstream, OpenProxied } from '../../../../local/local-part.ts';
import { chooseProtocol } from '../domain/protocols.ts';
import { REMOTE_TYPE } from '../domain/remote-request.ts';
import type { TakeOver, Wanted } from '../domain/session-plan.ts';
import { wantedIn } from '../domain/wanted.ts';
import { type AskPod, type Said, beginExec, beginLook, loggedSession, remotePorts } from './remote-pod.ts';
import { openUpgrades } from './upgrades.ts';

/** What a session does, once its connection is taken over. */
type Way = {
  readonly exec: () => ContainerSession;
  readonly attach: () => Promise<ContainerSession>;
  readonly ports: ReturnType<typeof remotePorts>;
};

const PATH = /^(\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+)\/(exec|attach|portforward)$/;

/**
 * Ends kubectl's connections to Pods here, for an API that cannot hold them: that API says whether a session may be, and where it is to be
 * had, and this process holds it.
 */
export const openProxied: OpenProxied = (upstream, guard, warn) => {
  const ways = new Map<string, Way>();
  const wayOf = (taskId: string): Way => {
    const way = ways.get(taskId);
    if (way === undefined) throw new SessionError('the session is over');
    // What was used last is the last to go.
    ways.delete(taskId);
    ways.set(taskId, way);
    return way;
  };
  const sessions: TaskSessions = {
    refusal: () => null,
    exec: async ({ taskId }) => wayOf(taskId).exec(),
    attach: async ({ taskId }) => wayOf(taskId).attach(),
    connect: async (taskId, port) => wayOf(taskId).ports.connect(port),
  };
  const upgrades = openUpgrades(
    guard(async (request, env) => decide(request, env['takeOver'] as TakeOver, upstream, ways)),
    sessions,
    warn,
  );
  return {
    ...upgrades,
    wants: (request) => PATH.test(pathOf(request.url ?? '')) && upgrades.wants(request),
    close() {
      upgrades.close();
      for (const { ports } of ways.values()) void ports.close();
    },
  };
};

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

async function decide(
  request: Request,
  takeOver: TakeOver,
  upstream: AskUpstream,
  ways: Map<string, Way>,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [, pod = '', subresource] = PATH.exec(pathname) ?? [];
  if (subresource !== 'exec' && subresource !== 'attach' && subresource !== 'portforward')
    return status(404, 'NotFound', 'the server could not find the requested resource');
  const chosen = chooseProtocol(subresource === 'portforward' ? 'portForward' : 'streams', {
    upgrade: request.headers.get('upgrade') ?? undefined,
    subprotocols: request.headers.get('sec-websocket-protocol') ?? undefined,
    versions: request.headers.get('x-stream-protocol-version') ?? undefined,
  });
  if (chosen.kind === 'plain') return status(400, 'BadRequest', 'Upgrade request required');
  if (chosen.kind === 'unknown') {
    const why = `unable to negotiate protocol: client supports [${chosen.offered.join(' ')}], server accepts [${chosen.served.join(' ')}]`;
    return status(403, 'Forbidden', why);
  }
  const query: Record<string, string[]> = {};
  for (const [name, value] of searchParams) (query[name] ??= []).push(value);
  const asked = wantedIn(subresource, query);
  if (asked.kind === 'bad') return status(400, 'BadRequest', asked.why);
  const { wanted } = asked;
  const ask = askPodOf(pod, request, upstream);
  const begun =
    wanted.kind === 'exec'
      ? await beginExec(ask, asked.container, wanted)
      : await beginLook(ask, wanted.kind === 'attach' ? 'attach' : 'portforward', asked.container);
  if (begun.kind === 'refused') return passedOn(begun.said);
  const { container, podUid } = begun.answer;
  const key = randomUUID();
  const { session } = begun;
  forgetOldest(ways);
  ways.set(key, {
    exec: () => {
      if (session === null) throw new SessionError('this is no command');
      return session();
    },
    attach: async () => loggedSession(await logOf(pod, container, request, upstream)),
    ports: remotePorts(ask),
  });
  const taken = takeOver({
    protocol: chosen.protocol,
    taskId: key,
    container,
    pod: { name: decodeURIComponent(pod.slice(pod.lastIndexOf('/') + 1)), uid: podUid },
    wanted: wanted satisfies Wanted,
    // AWS holds the session, and asks nobody again.
    mayGoOn: async () => true,
  });
  if (taken.kind === 'taken') return new Response(null, { status: 200 });
  ways.delete(key);
  return taken.kind === 'busy' ? status(429, 'TooManyRequests', taken.why) : status(400, 'BadRequest', taken.why);
}

/** More than sessions that can be open: nobody says when one is over. */
const WAYS_MAX = 1_024;

function forgetOldest(ways: Map<string, Way>): void {
  const [oldest] = ways.size < WAYS_MAX ? [] : [...ways.keys()];
  if (oldest !== undefined) ways.delete(oldest);
}

const askPodOf =
  (pod: string, { headers }: Request, upstream: AskUpstream): AskPod =>
  async (subresource, body) => {
    const answer = await upstream({
      method: 'POST',
      target: `${pod}/${subresource}`,
      headers: { ...impersonation(headers), 'content-type': REMOTE_TYPE, accept: 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    });
    return { status: answer.status, body: await text(answer.body) };
  };

/** What the container prints from now on. */
async function logOf(pod: string, container: string | null, { headers }: Request, upstream: AskUpstream) {
  const named = container === null ? '' : `&container=${encodeURIComponent(container)}`;
  const { status: code, body } = await upstream({
    method: 'GET',
    target: `${pod}/log?follow=true&tailLines=0${named}`,
    headers: impersonation(headers),
    body: new Uint8Array(0),
  });
  if (code !== 200) {
    const said: unknown = JSON.parse(await text(body));
    throw new SessionError(String(Reflect.get(said as object, 'message')));
  }
  return body;
}

/** Whom the caller wants to be, and who it is. */
const impersonation = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('impersonate-') || name === 'user-agent'));

const passedOn = ({ status: code, body }: Said): Response =>
  new Response(body, { status: code === 200 ? 502 : code, headers: { 'content-type': 'application/json' } });

const status = (code: number, reason: string, message: string): Response =>
  Response.json(
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code },
    { status: code },
  );
