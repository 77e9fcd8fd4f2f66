import fc from 'fast-check';
import { type Context, Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../../shared/domain/callers/attributes.ts';
import { requestAttributes } from '../../../shared/kube/authorization/request-attributes.ts';
import { aWorld } from '../a-world.ts';
import { anyRequest } from '../fuzz/arbitrary-request.ts';
import { anyPath } from './arbitrary-path.ts';

/** `verb group/resource/subresource name namespace`, `-` for what is empty; or `verb path`; or the kind. */
function told(method: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  const wanted = requestAttributes({ method, path, query });
  return wanted.kind === 'attributes' ? short(wanted.attributes) : wanted.kind;
}

function short(attributes: Attributes): string {
  if (attributes.kind === 'path') return `${attributes.verb} ${attributes.path}`;
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const what = [group, resource, subresource].filter((part) => part !== '').join('/');
  return [verb, what, name, namespace].map((part) => part || '-').join(' ');
}

const JOBS = '/apis/batch/v1/namespaces/n/jobs';
const LISTS = '/apis/muster.run/v1/namespaces/n/worklists';

describe('what a request wants', () => {
  it.each([
    // As in upstream's requestinfo_test.go.
    ['GET', '/api/v1/namespaces', 'list namespaces - -'],
    ['GET', '/api/v1/namespaces/other', 'get namespaces other other'],
    ['GET', '/api/v1/namespaces/other/pods', 'list pods - other'],
    ['GET', '/api/v1/namespaces/other/pods/foo', 'get pods foo other'],
    ['HEAD', '/api/v1/namespaces/other/pods/foo', 'get pods foo other'],
    ['GET', '/api/v1/pods', 'list pods - -'],
    ['HEAD', '/api/v1/pods', 'list pods - -'],
    ['GET', '/api/v1/namespaces/other/pods/foo/status', 'get pods/status foo other'],
    ['PUT', '/api/v1/namespaces/other/finalize', 'update namespaces/finalize other other'],
    ['GET', '/api/v1/namespaces/other/status', 'get namespaces/status other other'],
    ['PATCH', '/api/v1/namespaces/other/pods/foo', 'patch pods foo other'],
    ['POST', '/api/v1/namespaces/other/pods', 'create pods - other'],
    ['POST', '/api/v1/namespaces/other/pods/foo/eviction', 'create pods/eviction foo other'],
    ['DELETE', '/api/v1/namespaces/other/pods/foo', 'delete pods foo other'],
    ['DELETE', '/api/v1/namespaces/other/pods', 'deletecollection pods - other'],
    ['DELETE', '/api/v1/namespaces/other', 'delete namespaces other other'],
    ['POST', '/apis/batch/v1/namespaces/other/jobs', 'create batch/jobs - other'],
    ['PUT', '/apis/batch/v1/namespaces/other/jobs/foo', 'update batch/jobs foo other'],
    ['GET', '/apis/batch/v1/cronjobs', 'list batch/cronjobs - -'],
    ['OPTIONS', '/api/v1/pods', '- pods - -'],
    ['GET', '/', 'get /'],
    ['GET', '/api', 'get /api'],
    ['GET', '/api/v1', 'get /api/v1'],
    ['GET', '/apis/batch', 'get /apis/batch'],
    ['GET', '/apis/batch/v1', 'get /apis/batch/v1'],
    ['HEAD', '/version', 'head /version'],
    ['GET', '/openapi/v3/apis/batch/v1', 'get /openapi/v3/apis/batch/v1'],
    // Muster's own.
    ['POST', `${LISTS}/l/parts/0`, 'create muster.run/worklists/parts l n'],
    ['POST', `${LISTS}/l/seal`, 'create muster.run/worklists/seal l n'],
    ['GET', `${LISTS}/l/parts`, 'get muster.run/worklists/parts l n'],
    ['POST', LISTS, 'create muster.run/worklists - n'],
    ['POST', '/muster/v1/namespaces/n/jobs/j/indexes', 'update batch/jobs/indexes j n'],
    ['GET', '/muster/v1/namespaces/n/jobs/j/waits', 'get batch/jobs/waits j n'],
    ['GET', '/muster/v1/namespaces/n/jobs/j/diagnosis', 'get batch/jobs/diagnosis j n'],
    ['GET', '/muster/v1/namespaces/n/jobs/diagnosis', 'list batch/jobs/diagnosis - n'],
    ['GET', '/muster/v1/namespaces/n/jobs/diagnosis/progress', 'get batch/jobs/progress diagnosis n'],
    ['GET', '/muster/v1/jobs/diagnosis', 'list batch/jobs/diagnosis - -'],
    ['GET', '/muster/v1/diagnosis', 'get batch/jobs/diagnosis - -'],
    ['POST', '/muster/v1/submissions', 'inBody'],
    ['GET', '/muster/v1/namespaces/n/jobs/j', 'nowhere'],
    ['GET', '/muster/v1/jobs/j/waits', 'nowhere'],
    ['GET', '/muster/v1/namespaces/n/pods/j/waits', 'nowhere'],
    ['GET', '/muster/v2/namespaces/n/jobs/j/waits', 'nowhere'],
    // No second reading.
    ['GET', '/api/v1/namespaces/team-a%2Fpods', 'nowhere'],
    ['GET', '/api/v1/namespaces/team-a%252Fpods', 'nowhere'],
    ['GET', '/api/v1/namespaces/team-a/../team-b/pods', 'nowhere'],
    ['GET', '/api/v1/namespaces/%2e%2e/pods', 'nowhere'],
    ['GET', '/api/v1/namespaces//pods', 'nowhere'],
    ['GET', '//api/v1/pods', 'nowhere'],
    ['GET', '/api/v1/pods/', 'nowhere'],
    ['GET', '/api/v1/namespaces/n\\..\\m/pods', 'nowhere'],
    ['GET', '/api/v1/namespaces/n%0a/pods', 'nowhere'],
    ['GET', '/api/v1/namespaces/%ff/pods', 'nowhere'],
    ['GET', '/API/v1/namespaces/n/pods', 'get /API/v1/namespaces/n/pods'],
    ['GET', '/apis/batch/v1/namespaces/n/%6Aobs/x', 'get batch/jobs x n'],
    ['GET', '/apis/batch/v1/namespaces/n/jobs/a%3Ab', 'get batch/jobs a:b n'],
  ])('%s %s: %s', (method, path, wanted) => expect(told(method, path)).toBe(wanted));

  it.each([
    [JOBS, { watch: 'true' }, 'watch batch/jobs - n'],
    [JOBS, { watch: '1' }, 'watch batch/jobs - n'],
    [JOBS, { watch: 'false' }, 'list batch/jobs - n'],
    [JOBS, { watch: '' }, 'list batch/jobs - n'],
    [`${JOBS}/x`, { watch: 'true' }, 'get batch/jobs x n'],
    [JOBS, { fieldSelector: 'metadata.name=x' }, 'list batch/jobs x n'],
    [JOBS, { fieldSelector: 'metadata.name=x', watch: 'true' }, 'watch batch/jobs x n'],
    [JOBS, { fieldSelector: 'metadata.name==x,status.phase=Running' }, 'list batch/jobs x n'],
    [JOBS, { fieldSelector: 'metadata.name!=x' }, 'list batch/jobs - n'],
    [JOBS, { fieldSelector: 'metadata.name=x/y' }, 'list batch/jobs - n'],
    [JOBS, { fieldSelector: 'metadata.name=x,y' }, 'list batch/jobs - n'],
    ['/api/v1/pods', { fieldSelector: 'metadata.namespace=n' }, 'list pods - -'],
    ['/api/v1/namespaces', { fieldSelector: 'metadata.name=n' }, 'list namespaces n -'],
  ])('%s with %j: %s', (path, query, wanted) => expect(told('GET', path, query)).toBe(wanted));
});

type Routed = { readonly pattern: string; readonly params: Readonly<Record<string, string>>; readonly told: string };

/** The routes of the API, each of which says how it was reached. */
async function aProbe(): Promise<{ readonly probe: Hono; readonly patterns: ReadonlySet<string> }> {
  const { app } = await aWorld();
  const probe = new Hono({ strict: false });
  const patterns = app.routes.filter(({ path }) => path !== '/*' && path !== '*');
  for (const { method, path } of patterns)
    probe.on(method === 'ALL' ? METHODS : [method], path, (c) => {
      // A header, because HEAD has no body.
      const routed: Routed = { pattern: path, params: c.req.param(), told: toldOf(c) };
      return c.body(null, 200, { 'x-routed': encodeURIComponent(JSON.stringify(routed)) });
    });
  return { probe, patterns: new Set(patterns.map(({ path }) => path)) };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const toldOf = (c: Context): string => told(c.req.method, c.req.path);

/** The request as a server may hand it on: with its path as it was sent. */
const sent = (method: string, path: string): Request =>
  // What the router looks at.
  ({ method, url: `http://127.0.0.1${path}`, headers: new Headers() }) as Request;

/** What a route's own pattern and parameters say that it is about, without the verb. */
function aboutOf({ pattern, params }: Routed): string {
  const [prefix = '', ...rest] = pattern.slice(1).split('/');
  const group = prefix === 'muster' ? 'batch' : prefix === 'apis' ? (rest[0] ?? '') : '';
  const literal = prefix === 'apis' ? rest.slice(2) : rest.slice(1);
  const parts = literal.map((part) => (part.startsWith(':') ? (params[part.slice(1)] ?? '') : part));
  const ofAll = parts.length > 2 && !['status', 'finalize'].includes(parts[2] ?? '') ? parts.slice(2) : parts;
  const namespace = parts[0] === 'namespaces' ? (parts[1] ?? '') : '';
  const [resource = '', name = '', subresource = ''] = parts[0] === 'namespaces' ? ofAll : parts;
  const isOfMany = prefix === 'muster' && literal.at(-1) === 'diagnosis' && subresource === '';
  const [what, which] = isOfMany ? ['jobs/diagnosis', ''] : [[resource, subresource].filter(Boolean).join('/'), name];
  return [group === '' ? what : `${group}/${what}`, which || '-', namespace || '-'].join(' ');
}

const RESOURCES = /^\/(api\/v1|apis\/[^/]+\/[^/]+|muster\/v1)\/./;

/** An object has such a name. */
const isName = (value: string): boolean => /^[a-z0-9.-]+$/.test(value) && !/^\.+$/.test(value);

/** What the authorizer should have said of what a route has matched; a pattern where several answers are right. */
function expected(routed: Routed): RegExp {
  const { pattern, params, told: was } = routed;
  // Refused by all is always right; an object's name that needs escapes does not exist.
  if (was === 'nowhere') return Object.values(params).every(isName) ? /^anything else$/ : /^nowhere$/;
  if (pattern === '/muster/v1/submissions') return /^(inBody|[a-z-]+ batch\/jobs - -)$/;
  if (!RESOURCES.test(pattern)) return /^[a-z]+ \/[^ ]*$/;
  return new RegExp(`^[a-z-]+ ${aboutOf(routed).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}

describe('a path', () => {
  it('says the same to the router and to the authorizer', async () => {
    const { probe, patterns } = await aProbe();
    const met = new Set<string>();
    const anyOne = fc.oneof({ weight: 4, arbitrary: anyPath }, { weight: 1, arbitrary: anyRequest });
    await fc.assert(
      fc.asyncProperty(anyOne, async ({ method, path }) => {
        const answer = await probe.fetch(sent(method, path));
        if (answer.status === 404) return;
        const routed = JSON.parse(decodeURIComponent(answer.headers.get('x-routed') ?? '')) as Routed;
        met.add(routed.pattern);
        expect(routed.told, `${method} ${path} by ${routed.pattern}`).toMatch(expected(routed));
      }),
      { numRuns: 20_000, seed: 20_261_128 },
    );
    // Some routes serve what no request is drawn for, such as the absent kinds.
    expect(met.size).toBeGreaterThan(patterns.size / 2);
  });
});
