/**
 * What users may say to this release that the one before does not know. Objects that say it have rows in formats that the release
 * before cannot read, so an installation that may go back to it refuses it: see {@link newFieldsIn}.
 */
export type NewInRelease = {
  /** Names of annotations, wherever an object has some. */
  readonly annotations: ReadonlySet<string>;
  /** `apiVersion kind` of whole kinds: the release before has no rows for them, or would show them as something else. */
  readonly kinds: ReadonlySet<string>;
  /** Fields of a Pod's spec, wherever a template of Pods is. */
  readonly podFields: ReadonlySet<string>;
};

/** Nothing: no release is before this one. */
export const NEW_IN_RELEASE: NewInRelease = { annotations: new Set(), kinds: new Set(), podFields: new Set() };

const POD_SPECS: readonly string[] = ['template.spec', 'pod.spec'];

/**
 * Which formats an installation writes. `current`: all of this release. `previous`: only those that the release before reads, too,
 * so that it can be deployed again.
 */
export type Formats = 'previous' | 'current';

/** The paths of everything in an object that only this release knows; `kind` if that is the whole of it. */
export const newFieldsIn = (object: unknown, known: NewInRelease = NEW_IN_RELEASE): readonly string[] =>
  isNewKind(object, known) ? ['kind'] : found(object, '', known);

function isNewKind(object: unknown, { kinds }: NewInRelease): boolean {
  if (typeof object !== 'object' || object === null) return false;
  const { apiVersion, kind } = object as { readonly apiVersion?: unknown; readonly kind?: unknown };
  return kinds.has(`${String(apiVersion)} ${String(kind)}`);
}

function found(value: unknown, path: string, known: NewInRelease): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each: unknown, at) => found(each, `${path}[${at}]`, known));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (path.endsWith('metadata.annotations')) return known.annotations.has(key) ? [`${path}[${key}]`] : [];
    const here = path === '' ? key : `${path}.${key}`;
    const isNew = known.podFields.has(key) && POD_SPECS.some((spec) => path.endsWith(spec));
    return isNew ? [here] : found(inner, here, known);
  });
}
