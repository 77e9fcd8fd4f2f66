import type { JobStore } from '../../../../ports/job-store.ts';
import type { ObjectChange, ObjectKey, ObjectStore, StoredKind, StoredObject } from '../../../../ports/object-store.ts';
import type { Law } from '../../../../../test/dst/checks/law.ts';
import type { PlayWatch } from '../../../../../test/dst/world/play-watch.ts';
import type { World } from '../../../../../test/dst/world/world.ts';

/** Begins each value: it may be in no row. */
export const MARK = 'canary';

const idOf = (kind: StoredKind, { namespace, name }: ObjectKey): string => `${kind} ${namespace}/${name}`;

/** What the owner of an object knows of it. */
type Known = {
  /** The number of the newest change that was acknowledged; 0: none was. */
  acknowledged: number;
  /** Its value; null: it was deleted. */
  value: string | null;
  /** A deletion was asked for at this version or a later one, and not answered. */
  deletedFrom: number;
  /** Every value that somebody wanted to store. */
  readonly wanted: Set<string>;
};

/** What users were told of ConfigMaps and Secrets is so, and no value of a Secret is in any row (G28). */
export class SecretWatch implements PlayWatch {
  readonly #law: Law;
  readonly #known = new Map<string, Known>();
  /** The labels of each change that somebody has seen in the feed. */
  readonly #labels = new Map<string, string>();

  constructor({ law }: Pick<World, 'law'>) {
    this.#law = law;
  }

  watchJobs(jobs: JobStore): JobStore {
    return jobs;
  }

  /** Whatever is stored passes here, on its way into rows. */
  watchObjects(objects: ObjectStore): ObjectStore {
    return {
      ...objects,
      commit: async (kind, change) => {
        if (kind === 'Secret') {
          const text = JSON.stringify(change.document);
          const isTold = [MARK, Buffer.from(MARK).toString('base64')].some((value) => text.includes(value));
          this.#law.forbid(isTold, 'G28', () => `${idOf(kind, change.key)} is stored in clear`);
        }
        return objects.commit(kind, change);
      },
    };
  }

  #of(kind: StoredKind, key: ObjectKey): Known {
    const id = idOf(kind, key);
    const known = this.#known.get(id) ?? {
      acknowledged: 0,
      value: null,
      deletedFrom: Number.POSITIVE_INFINITY,
      wanted: new Set(),
    };
    this.#known.set(id, known);
    return known;
  }

  wants(kind: StoredKind, key: ObjectKey, value: string | null, was: number): void {
    const known = this.#of(kind, key);
    if (value === null) known.deletedFrom = Math.min(known.deletedFrom, was);
    else known.wanted.add(value);
  }

  acknowledged(kind: StoredKind, key: ObjectKey, version: number, value: string | null): void {
    const known = this.#of(kind, key);
    if (version > known.acknowledged) Object.assign(known, { acknowledged: version, value });
  }

  /** Before a read; what comes of it is checked against what was known by then. */
  before(kind: StoredKind, key: ObjectKey): (found: StoredObject | null) => void {
    const { acknowledged, value } = this.#of(kind, key);
    return (found) => {
      const { deletedFrom, wanted } = this.#of(kind, key);
      const id = idOf(kind, key);
      if (found === null) {
        const isLost = value !== null && deletedFrom > acknowledged && !this.#isDeletedSince(kind, key, acknowledged);
        this.#law.forbid(isLost, 'G28', () => `${id} is gone, and nobody has deleted it`);
        return;
      }
      const read = valueIn(found);
      const isOld = found.version < acknowledged || (found.version === acknowledged && read !== value);
      this.#law.forbid(isOld, 'G28', () => `${id} is read at ${found.version}, after ${acknowledged} was acknowledged`);
      this.#law.forbid(!wanted.has(read), 'G28', () => `${id} has a value that nobody has written`);
    };
  }

  #isDeletedSince(kind: StoredKind, key: ObjectKey, version: number): boolean {
    const { acknowledged, value } = this.#of(kind, key);
    return acknowledged > version && value === null;
  }

  /** Changes that follow one another in the feed, from its beginning. */
  seen(kind: StoredKind, rows: readonly ObjectChange[]): void {
    for (const { type, object, labelsBefore } of rows) {
      const id = idOf(kind, object.key);
      const now = labelIn(object);
      const before = this.#labels.get(id);
      if (type === 'MODIFIED' && before !== undefined) {
        const said = labelsBefore === undefined ? now : (labelsBefore['turn'] ?? '');
        this.#law.forbid(said !== before, 'G28', () => `${id}: the feed does not say which labels it had`);
      }
      this.#labels.set(id, now);
    }
  }

  /** The next reader begins at the beginning. */
  again(): void {
    this.#labels.clear();
  }
}

function valueIn({ document }: StoredObject): string {
  const { data } = document as { readonly data?: { readonly value?: string } };
  return data?.value ?? '';
}

function labelIn({ document }: StoredObject): string {
  const { labels } = document.metadata as { readonly labels?: { readonly turn?: string } };
  return labels?.turn ?? '';
}
