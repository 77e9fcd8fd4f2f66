import type { Parsed } from './query.ts';
import { type StatusError, badRequest, notAcceptable } from './status-error.ts';

/** The form in which a client wants objects. */
export type Form =
  | { readonly kind: 'plain' }
  | { readonly kind: 'metadata'; readonly apiVersion: MetaVersion }
  | { readonly kind: 'table'; readonly apiVersion: MetaVersion; readonly objects: RowObjects };

/** What accompanies a row's cells: nothing, the object's metadata, or the whole object. */
export type RowObjects = 'None' | 'Metadata' | 'Object';
export type MetaVersion = `meta.k8s.io/${'v1' | 'v1beta1'}`;

/** What an answer contains; Kubernetes has transformed forms for reads only. */
type Of = 'object' | 'list' | 'watch' | 'review';

/** Muster never answers with protobuf: clients that prefer it accept JSON too. */
const ACCEPTED = ['application/json'];

/** No client sends a longer header, or this many alternatives. */
const RANGES_MAX = 64;

/**
 * Parses `Accept` as Kubernetes does: by weight, then in order, the first range that can be answered wins; unknown
 * transformations are skipped.
 *
 * @param includeObject from the query; read only for a Table
 * @returns 406 if none of them can be answered
 */
export function negotiate(accept: string | undefined, of: Of, includeObject: string | undefined): Parsed<Form> {
  for (const range of rangesOf(accept)) {
    if (!ACCEPTED.some((type) => covers(range.type, type))) continue;
    const form = formOf(range.parameters, of);
    if (form === null) continue;
    return form.kind === 'table' ? withObjects(form, includeObject) : { kind: 'ok', value: form };
  }
  return { kind: 'bad', error: notAcceptable(ACCEPTED) };
}

type Range = {
  readonly type: string;
  readonly weight: number;
  readonly parameters: ReadonlyMap<string, string>;
};

function rangesOf(accept = ''): readonly Range[] {
  if (accept.trim() === '') return [{ type: '*/*', weight: 1, parameters: new Map() }];
  const ranges = accept.split(',', RANGES_MAX).map((range): Range => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const pairs = parameters.map((pair): [string, string] => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [pair, ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    });
    const { q = '1', ...rest } = Object.fromEntries(pairs);
    const weight = /^[01](\.\d{0,3})?$/.test(q) ? Number(q) : 1;
    return { type: type.toLowerCase(), weight, parameters: new Map(Object.entries(rest)) };
  });
  return ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
}

const covers = (range: string, type: string): boolean =>
  range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));

/** null: nothing that is served. */
function formOf(parameters: Range['parameters'], of: Of): Form | null {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && stream !== 'watch') return null;
  const as = parameters.get('as');
  if (as === undefined) return { kind: 'plain' };
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return null;
  const apiVersion: MetaVersion = `meta.k8s.io/${version}`;
  // A review's answer is not a row of a table.
  if (as === 'Table' && of !== 'review') return { kind: 'table', apiVersion, objects: 'Metadata' };
  return METADATA[of].includes(as) ? { kind: 'metadata', apiVersion } : null;
}

/** A watch sends objects; some clients ask for it in the form in which they list. */
const METADATA: Readonly<Record<Of, readonly string[]>> = {
  object: ['PartialObjectMetadata'],
  list: ['PartialObjectMetadataList'],
  watch: ['PartialObjectMetadata', 'PartialObjectMetadataList'],
  review: [],
};

function withObjects(form: Extract<Form, { readonly kind: 'table' }>, include = ''): Parsed<Form> {
  const objects = include === '' ? 'Metadata' : OBJECTS.find((each) => each === include);
  if (objects !== undefined) return { kind: 'ok', value: { ...form, objects } };
  return { kind: 'bad', error: wrongInclude(include) };
}

const OBJECTS: readonly RowObjects[] = ['Metadata', 'Object', 'None'];

const wrongInclude = (include: string): StatusError =>
  badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
