import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import {
  type ContentHead,
  type ContentId,
  type ItemPart,
  type ItemReservation,
  type ItemStore,
  REMOVAL_AFTER_MS,
} from '../../ports/item-store.ts';

type Content = {
  readonly head: ContentHead;
  readonly parts: Map<number, ItemPart>;
  readonly reservations: Map<JobUid, ItemReservation>;
  readonly removingSince: EpochMs | null;
};

/** {@link ItemStore} in this process's memory: every method takes its whole effect in one synchronous step. */
export function createMemoryItems(now: () => EpochMs): ItemStore {
  const contents = new Map<ContentId, Content>();
  const alive = (id: ContentId): Content | null => {
    const content = contents.get(id);
    return content === undefined || content.removingSince !== null ? null : content;
  };

  return {
    async begin(head) {
      if (contents.has(head.content)) return;
      contents.set(head.content, {
        head: { ...head, sealed: null },
        parts: new Map(),
        reservations: new Map(),
        removingSince: null,
      });
    },

    async readHead(id) {
      return alive(id)?.head ?? null;
    },

    async writePart({ content }, part) {
      const { parts } = alive(content) ?? { parts: new Map<number, ItemPart>() };
      const known = parts.get(part.no);
      if (known !== undefined && known.sha256 !== part.sha256) return { kind: 'conflict' };
      parts.set(part.no, structuredClone(part));
      return { kind: 'written' };
    },

    async readPart(id, no) {
      const part = alive(id)?.parts.get(no);
      if (part === undefined) return null;
      const { rows: _rows, ...summary } = part;
      return summary;
    },

    async listParts(id) {
      const parts = [...(alive(id)?.parts.values() ?? [])].sort((a, b) => a.no - b.no);
      return parts.map(({ rows: _rows, ...summary }) => summary);
    },

    async seal(id, sealed) {
      const content = alive(id);
      if (content === null) return false;
      contents.set(id, { ...content, head: { ...content.head, sealed: content.head.sealed ?? sealed } });
      return true;
    },

    async readItems(id, number) {
      const content = contents.get(id);
      if (content === undefined) return null;
      const { itemsPerPart } = content.head;
      const part = content.parts.get(Math.floor(number / itemsPerPart));
      return part === undefined || number >= part.no * itemsPerPart + part.rows.length
        ? null
        : { first: part.no * itemsPerPart, rows: part.rows };
    },

    async reserve(id, job, at) {
      const content = alive(id);
      if (content === null || content.head.sealed === null) return false;
      if (!content.reservations.has(job)) content.reservations.set(job, { job, at });
      return true;
    },

    async release(id, job) {
      contents.get(id)?.reservations.delete(job);
    },

    async listReservations(id) {
      return [...(contents.get(id)?.reservations.values() ?? [])];
    },

    async listContents({ after, limit }) {
      const ids = [...contents.keys()].sort().filter((id) => after === null || id > after);
      const page = ids.slice(0, limit);
      return { contents: page, next: ids.length > limit ? (page.at(-1) ?? null) : null };
    },

    async remove(id) {
      const content = contents.get(id);
      if (content === undefined) return { kind: 'removed' };
      if (content.reservations.size > 0) {
        contents.set(id, { ...content, removingSince: null });
        return { kind: 'reserved' };
      }
      const since = content.removingSince ?? now();
      contents.set(id, { ...content, removingSince: since });
      if (now() < plusMs(since, REMOVAL_AFTER_MS)) return { kind: 'marked' };
      contents.delete(id);
      return { kind: 'removed' };
    },
  };
}
