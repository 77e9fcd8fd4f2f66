/** Where the page is: a view, and what it shows. */
export type Place =
  | { readonly view: 'jobs' }
  | { readonly view: 'job'; readonly namespace: string; readonly name: string }
  | {
      readonly view: 'index';
      readonly namespace: string;
      readonly name: string;
      readonly index: number;
      /** null: the last. */
      readonly attempt: number | null;
    }
  | { readonly view: (typeof PLAIN_VIEWS)[number] }
  | { readonly view: 'nowhere'; readonly path: string };

export const PLAIN_VIEWS = ['graph', 'schedules', 'worklists', 'quotas', 'furiko', 'doctor'] as const;

const BASE = '/ui/';

/** The place that a path names. */
export function placeOf(path: string): Place {
  const nowhere: Place = { view: 'nowhere', path };
  if (!`${path}/`.startsWith(BASE)) return nowhere;
  let words: readonly string[];
  try {
    words = path
      .slice(BASE.length)
      .split('/')
      .filter((word) => word !== '')
      .map(decodeURIComponent);
  } catch {
    return nowhere; // no URL that this page has made
  }
  const [first, namespace, jobs, name, ...rest] = words;
  if (first === undefined) return { view: 'jobs' };
  const plain = PLAIN_VIEWS.find((view) => view === first);
  if (plain !== undefined && namespace === undefined) return { view: plain };
  if (first !== 'ns' || namespace === undefined || jobs !== 'jobs' || name === undefined) return nowhere;
  const [index, attempt] = [numberAfter('index', rest.slice(0, 2)), numberAfter('attempt', rest.slice(2, 4))];
  if (rest.length === 0) return { view: 'job', namespace, name };
  if (index === null || rest.length > 4 || (rest.length > 2 && attempt === null)) return nowhere;
  return { view: 'index', namespace, name, index, attempt };
}

function numberAfter(word: string, [first, second]: readonly string[]): number | null {
  return first === word && second !== undefined && /^\d{1,7}$/.test(second) ? Number(second) : null;
}

/** The path of a place. */
export function pathOf(place: Place): string {
  if (place.view === 'jobs') return BASE;
  if (place.view === 'nowhere') return place.path;
  if (place.view !== 'job' && place.view !== 'index') return `${BASE}${place.view}`;
  const job = jobPath(place.namespace, place.name);
  if (place.view === 'job') return job;
  return `${job}/index/${place.index}${place.attempt === null ? '' : `/attempt/${place.attempt}`}`;
}

const jobPath = (namespace: string, name: string): string =>
  `${BASE}ns/${encodeURIComponent(namespace)}/jobs/${encodeURIComponent(name)}`;

/** A query with some of its words changed; an empty value removes one. */
export function queryWith(query: string, changes: Readonly<Record<string, string | null>>): string {
  const words = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') words.delete(name);
    else words.set(name, value);
  }
  const text = words.toString();
  return text === '' ? '' : `?${text}`;
}
