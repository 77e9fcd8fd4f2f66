import * as z from 'zod';
import { type UnreadableRow, ifReadable, throwUnreadable } from '../../../domain/base/unreadable-row.ts';
import { isConfidential } from '../../../domain/kinds/api-kinds.ts';
import type { CapabilityPorts } from '../../../ports/capability-ports.ts';
import {
  type ObjectChange,
  type ObjectStore,
  SEALED_FIELD,
  type StoredDocument,
  type StoredKind,
  type StoredObject,
} from '../../../ports/object-store.ts';
import { changeOf } from '../../../store/programs/object-change.ts';
import { DocumentSchema } from '../../../store/programs/row-bodies.ts';
import { SealError, type SealedFor } from '../ports/sealer.ts';
import { Unopened } from './unopened.ts';

/** What is sealed. The labels before the change are part of it: the feed tells watches what no longer matches. */
const ContentsSchema = z.object({
  document: DocumentSchema,
  labelsBefore: z.record(z.string(), z.string()).optional(),
});
type Contents = z.output<typeof ContentsSchema>;

type Opened = { readonly object: StoredObject } & Pick<Contents, 'labelsBefore'>;

/**
 * The store, with the objects of confidential kinds as their users wrote them. In `objects` they are sealed, in their rows and in
 * those of the feed. What cannot be opened is an error, never left out: {@link Unopened}.
 *
 * @param ports without a sealer nothing confidential is read or stored
 */
export function sealedObjects(objects: ObjectStore, { sealer = NO_SEALER }: Partial<CapabilityPorts>): ObjectStore {
  const open = async (kind: StoredKind, sealed: StoredObject): Promise<Opened> => {
    try {
      const plain = await sealer.open(bytesIn(sealed), sealedFor(kind, sealed.key, sealed.document));
      const { document, labelsBefore } = contentsIn(plain);
      return { object: { ...sealed, document }, ...(labelsBefore === undefined ? {} : { labelsBefore }) };
    } catch (error) {
      throw error instanceof SealError ? new Unopened(kind, sealed, error) : error;
    }
  };
  const openAll = async <T, O>(all: readonly T[], one: (each: T) => Promise<O>): Promise<readonly O[]> => {
    const settled = await Promise.allSettled(all.map(one));
    const unreadable: UnreadableRow[] = [];
    const opened = settled.flatMap((each) => ifReadable(() => [valueOf(each)], unreadable) ?? []);
    throwUnreadable(unreadable);
    return opened;
  };
  const read: ObjectStore['read'] = async (kind, key) => {
    const found = await objects.read(kind, key);
    return found === null || !isConfidential(kind) ? found : (await open(kind, found)).object;
  };
  return {
    read,
    async list(kind, page) {
      const found = await objects.list(kind, page);
      if (!isConfidential(kind)) return found;
      return { ...found, objects: await openAll(found.objects, async (each) => (await open(kind, each)).object) };
    },
    async commit(kind, change) {
      const { key, was, document } = change;
      if (!isConfidential(kind) || document === null) return objects.commit(kind, change);
      const before = was === 0 ? null : await read(kind, key);
      if ((before?.version ?? 0) !== was) return { kind: 'lost' };
      const { labelsBefore } = changeOf(key, before, document) ?? {};
      const contents: Contents = { document, ...(labelsBefore === undefined ? {} : { labelsBefore }) };
      const plain = Buffer.from(JSON.stringify(contents));
      const sealed = await sealer.seal(plain, sealedFor(kind, key, document));
      const { uid } = document.metadata;
      const stored = { metadata: { uid }, [SEALED_FIELD]: Buffer.from(sealed).toString('base64') };
      return objects.commit(kind, { key, was, document: stored });
    },
    head: async (kind) => objects.head(kind),
    async changes(kind, after, limit) {
      const found = await objects.changes(kind, after, limit);
      if (!isConfidential(kind) || found.kind === 'expired') return found;
      const rows = await openAll(found.rows, async ({ type, object: sealed }): Promise<ObjectChange> => {
        const { object, labelsBefore } = await open(kind, sealed);
        return { type, object, ...(type !== 'MODIFIED' || labelsBefore === undefined ? {} : { labelsBefore }) };
      });
      return { kind: 'rows', rows };
    },
  };
}

const NO_SEALER: CapabilityPorts['sealer'] = {
  seal: async () => Promise.reject(noKey()),
  open: async () => Promise.reject(noKey()),
};
const noKey = (): SealError => new SealError('Secrets cannot be read or stored here: this process has no key for them');

const sealedFor = (
  kind: StoredKind,
  { namespace, name }: StoredObject['key'],
  { metadata: { uid } }: StoredDocument,
): SealedFor => ({ kind, namespace, name, uid });

function bytesIn({ document }: StoredObject): Uint8Array {
  const { [SEALED_FIELD]: sealed } = document;
  if (typeof sealed !== 'string') throw new SealError('what is stored is not sealed');
  return Buffer.from(sealed, 'base64');
}

/** A parser cites what it reads, so its words go no further. */
function contentsIn(plain: Uint8Array): Contents {
  try {
    return ContentsSchema.parse(JSON.parse(Buffer.from(plain).toString('utf8')));
  } catch {
    throw new SealError('what was sealed is no object of this release of Muster');
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
