import type { ObjectChange, ObjectKey, StoredDocument, StoredObject } from '../../ports/object-store.ts';

/** A change of one object before it has a number; `document` is what the feed shows of it. */
export type UnnumberedChange = Pick<ObjectChange, 'type' | 'labelsBefore'> & {
  readonly key: ObjectKey;
  readonly document: StoredDocument;
};

/** What a kind's feed says about a write; null: there is nothing to remove. */
export function changeOf(
  key: ObjectKey,
  before: StoredObject | null,
  document: StoredDocument | null,
): UnnumberedChange | null {
  if (before === null) return document === null ? null : { type: 'ADDED', key, document };
  if (document === null) return { type: 'DELETED', key, document: before.document };
  const labelsBefore = labelsOf(before.document);
  return {
    type: 'MODIFIED',
    key,
    document,
    ...(areSame(labelsBefore, labelsOf(document)) ? {} : { labelsBefore }),
  };
}

type Labels = Readonly<Record<string, string>>;

function labelsOf({ metadata }: StoredDocument): Labels {
  const { labels } = metadata;
  if (typeof labels !== 'object' || labels === null) return {};
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

const areSame = (a: Labels, b: Labels): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value);
