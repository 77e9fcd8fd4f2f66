import type { Attributes, PathAttributes, ResourceAttributes } from '../../domain/callers/attributes.ts';
import { flagOf } from '../http/query.ts';
import { exactlySelected } from '../selectors/field-selector.ts';

/** A request as the router has it. */
export type ApiRequest = {
  readonly method: string;
  /** Decoded as the router decodes it, but for what would be a `/` or `%`; without a slash at the end. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
};

/** `nowhere`: no route serves it. `inBody`: its route asks, once it has read the body. */
export type Wanted =
  | { readonly kind: 'attributes'; readonly attributes: Attributes }
  | { readonly kind: 'nowhere' }
  | { readonly kind: 'inBody' };

/**
 * What a request wants to do (`RequestInfo` of apiserver/pkg/endpoints/request).
 *
 * A path has one reading or none: its segments are those that the router matches, and a segment that somebody could read in
 * another way (empty, `.`, `..`, with `/`, `%`, or a control character, however encoded) is served nowhere. No object has such
 * a name.
 */
export function requestAttributes(request: ApiRequest): Wanted {
  const segments = segmentsOf(request.path);
  if (segments === null) return NOWHERE;
  const [prefix, ...rest] = segments;
  if (prefix === 'api' && rest.length >= 2) return allowedBy(ofObjects(request, '', rest.slice(1)));
  if (prefix === 'apis' && rest.length >= 3) return allowedBy(ofObjects(request, rest[0] ?? '', rest.slice(2)));
  if (prefix === 'muster') return rest[0] === 'v1' ? ofMuster(request.method, rest.slice(1)) : NOWHERE;
  const verb = request.method.toLowerCase();
  return allowedBy({ kind: 'path', verb, path: `/${segments.join('/')}` } satisfies PathAttributes);
}

const NOWHERE: Wanted = { kind: 'nowhere' };
const allowedBy = (attributes: Attributes): Wanted => ({ kind: 'attributes', attributes });

/** null: some segment has no reading. */
function segmentsOf(path: string): readonly string[] | null {
  if (path === '/') return [];
  const [before, ...encoded] = path.split('/');
  if (before !== '') return null;
  const segments: string[] = [];
  for (const each of encoded) {
    const segment = decoded(each);
    if (segment === null || !isPlain(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

const AMBIGUOUS: ReadonlySet<string> = new Set(['', '.', '..']);

const isPlain = (segment: string): boolean =>
  !AMBIGUOUS.has(segment) && Array.from(segment).every((char) => char > '\u001f' && !'/%\\\u007f'.includes(char));

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);
/** Parts of a namespace's path that are not kinds of objects in it. */
const OF_NAMESPACES: readonly string[] = ['status', 'finalize'];

/** `parts` follow the version: `namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE`, or without the first two. */
function ofObjects({ method, query }: ApiRequest, group: string, parts: readonly string[]): ResourceAttributes {
  const isBelow = parts[0] === 'namespaces' && parts.length > 1;
  const namespace = isBelow ? (parts[1] ?? '') : '';
  const within = isBelow && parts.length > 2 && !OF_NAMESPACES.includes(parts[2] ?? '');
  const [resource = '', name = '', subresource = ''] = within ? parts.slice(2) : parts;
  const about = { kind: 'resource', group, resource, subresource, namespace } as const;
  const verb = VERBS.get(method) ?? '';
  if (name !== '') return { ...about, verb, name };
  if (verb === 'delete') return { ...about, verb: 'deletecollection', name };
  if (verb !== 'get') return { ...about, verb, name };
  const only = exactlySelected(query['fieldSelector'], 'metadata.name') ?? '';
  return { ...about, verb: flagOf(query['watch']) ? 'watch' : 'list', name: isPlain(only) ? only : '' };
}

/** Muster's own paths are about parts of Jobs, in the group `batch`. */
function ofMuster(method: string, parts: readonly string[]): Wanted {
  const [whole, ...others] = parts;
  if (whole === 'submissions' && others.length === 0)
    return method === 'POST' ? { kind: 'inBody' } : partOfJobs(method);
  if (whole === 'diagnosis' && others.length === 0) return partOfJobs(method, { subresource: 'diagnosis' });
  const within = whole === 'namespaces';
  const namespace = within ? (parts[1] ?? '') : '';
  const [jobs, name = '', subresource = '', ...more] = within ? parts.slice(2) : parts;
  if (jobs !== 'jobs' || name === '' || more.length > 0) return NOWHERE;
  if (subresource !== '') return within ? partOfJobs(method, { namespace, name, subresource }) : NOWHERE;
  return name === 'diagnosis' ? partOfJobs(method, { namespace, subresource: name }, 'list') : NOWHERE;
}

function partOfJobs(
  method: string,
  about: Partial<Pick<ResourceAttributes, 'namespace' | 'name' | 'subresource'>> = {},
  reading = 'get',
): Wanted {
  const verb = VERBS.get(method) ?? '';
  const as = verb === 'get' ? reading : verb === 'create' ? 'update' : verb;
  const nothing = { namespace: '', name: '', subresource: '' };
  return allowedBy({ kind: 'resource', verb: as, group: 'batch', resource: 'jobs', ...nothing, ...about });
}
