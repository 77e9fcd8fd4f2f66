import type { AskApi } from '../../../../local/local-part.ts';
import { cookieIn, cookieName, isFromPage, isNavigation, sessionCookie } from '../domain/browser-request.ts';
import { DATA_HEADERS, INDEX, PAGE_HEADERS, cachingOf, pagePath } from '../domain/page-headers.ts';
import type { PageFiles } from './page-files.ts';
import { SESSION_SEC, type SignIns } from './sign-ins.ts';

export type PageOptions = {
  readonly files: () => PageFiles;
  readonly signIns: SignIns;
  /** The API wants to know who asks. */
  readonly asksWho: boolean;
  /** What is asked of every request before anything else: no page of another site, and no name that was rebound. */
  readonly guard: (ask: AskApi) => AskApi;
};

/** The API with the page beside it: /ui is the page's, and requests that the page sends are its user's. */
export function servePage(ask: AskApi, options: PageOptions): AskApi {
  const page = options.guard(async (request, env) => answerOf(request, env, ask, options));
  return async (request, env) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/ui' || pathname.startsWith('/ui/')) return page(asFollowed(request), env);
    const credentials = credentialsOf(request, options.signIns);
    const answer = await ask(request, credentials === null ? env : { ...env, credentials });
    for (const [name, value] of Object.entries(DATA_HEADERS)) answer.headers.set(name, value);
    return answer;
  };
}

/** A link that was followed is as good as an address that was typed, wherever it was written. */
function asFollowed(request: Request): Request {
  if (!isNavigation(request.method, request.headers)) return request;
  const headers = new Headers(request.headers);
  headers.delete('sec-fetch-site');
  return new Request(request.url, { method: request.method, headers });
}

const ownCookie = ({ url }: Request): string => cookieName(new URL(url).port);

function credentialsOf(request: Request, signIns: SignIns): string | null {
  const session = sessionIn(request);
  return session === null ? null : signIns.credentialsOf(session);
}

const sessionIn = (request: Request): string | null =>
  isFromPage(request.headers) ? cookieIn(request.headers.get('cookie'), ownCookie(request)) : null;

async function answerOf(
  request: Request,
  env: Readonly<Record<string, unknown>>,
  ask: AskApi,
  options: PageOptions,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const files = options.files();
  const path = pagePath(pathname, files);
  switch (path.kind) {
    case 'links':
      return request.method === 'POST' ? newLink(request, env, ask, options) : refused(405, 'only POST is possible');
    case 'session':
      return session(request, options.signIns);
    case 'moved':
      return new Response(null, { status: 308, headers: { ...PAGE_HEADERS, location: `/ui/${search}` } });
    case 'elsewhere':
      return refused(404, 'the page has no such path');
    case 'file':
      return fileAnswer(request, path.file, files);
  }
}

/** A link signs in as its maker, whom the API must know. `link` is null where it knows everybody. */
async function newLink(
  request: Request,
  env: Readonly<Record<string, unknown>>,
  ask: AskApi,
  { asksWho, signIns }: PageOptions,
): Promise<Response> {
  if (!asksWho) return json(200, { link: null });
  const credentials = request.headers.get('authorization') ?? '';
  const host = request.headers.get('host') ?? '';
  const whether = new Request(new URL('/version', request.url), { headers: { host, authorization: credentials } });
  const { status } = await ask(whether, env);
  return status === 401 ? refused(401, 'Unauthorized') : json(200, { link: signIns.offer(credentials) });
}

const LINK_CHARS_MAX = 256;

async function session(request: Request, signIns: SignIns): Promise<Response> {
  const name = ownCookie(request);
  if (!isFromPage(request.headers)) return refused(403, 'only the page signs in or out here');
  if (request.method === 'DELETE') {
    signIns.end(sessionIn(request) ?? '');
    return new Response(null, { status: 204, headers: withCookie(sessionCookie(name, '', 0)) });
  }
  if (request.method !== 'POST') return refused(405, 'only POST and DELETE are possible');
  const link = await linkIn(request);
  const secret = link === null ? null : signIns.redeem(link);
  return secret === null
    ? refused(401, 'the link was used, or is older than a minute: `muster ui` makes another')
    : new Response(null, { status: 204, headers: withCookie(sessionCookie(name, secret, SESSION_SEC)) });
}

async function linkIn(request: Request): Promise<string | null> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= LINK_CHARS_MAX)) return null;
  try {
    const body: unknown = JSON.parse(await request.text());
    const link: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'link') : null;
    return typeof link === 'string' ? link : null;
  } catch {
    return null;
  }
}

const withCookie = (cookie: string) => ({ ...PAGE_HEADERS, 'cache-control': 'no-store', 'set-cookie': cookie });

function fileAnswer(request: Request, path: string, files: PageFiles): Response {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refused(405, 'only GET is possible');
  const file = files.get(path);
  if (file === undefined)
    return refused(404, path === INDEX ? 'this build of muster has no page' : 'the page has no such file');
  const isGzip = (request.headers.get('accept-encoding') ?? '').split(',').some((each) => /^\s*gzip\s*$/.test(each));
  const headers = {
    ...PAGE_HEADERS,
    'content-type': file.type,
    'cache-control': cachingOf(path),
    vary: 'Accept-Encoding',
    ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
  };
  return new Response(request.method === 'HEAD' ? null : Buffer.from(isGzip ? file.gzipped : file.bytes), { headers });
}

const json = (status: number, value: object): Response =>
  Response.json(value, { status, headers: { ...PAGE_HEADERS, 'cache-control': 'no-store' } });

/** In the form of all refusals of the API. */
const refused = (code: number, message: string): Response =>
  json(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code });
