import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ItemList } from '../../../domain/items/item-list.ts';
import { partsOf, sealedOf } from '../../../domain/items/item-parts.ts';
import * as z from 'zod';
import { type KubeClient, readAs } from '../../../../cli/client/kube-client.ts';
import { ApiFailure, EXIT, Failure } from '../../../../cli/shell/failure.ts';
import type { CarriedList, Upload } from '../../../../cli/run-line/item-carrier.ts';
import { workListPath } from './work-list-path.ts';

/** A request has at most 256 KiB. */
const PART_BYTES_MAX = 200 * 1024;
const ITEMS_PER_PART_MAX = 10_000;
const SENT_AT_ONCE = 8;
/** A part that the server could not take is sent again after these waits. */
const WAITS_MS: readonly number[] = [500, 1_000, 2_000, 4_000];

/** The most items that every part of a list may have, so that none is too large for a request. */
export function itemsPerPart({ rows }: ItemList, bytesMax = PART_BYTES_MAX): number {
  const sizes = rows.map((row) => Buffer.byteLength(JSON.stringify(row)) + 1);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  let count = Math.min(ITEMS_PER_PART_MAX, Math.max(1, Math.floor((bytesMax * rows.length) / all)));
  while (count > 1 && largestPart(sizes, count) > bytesMax) count = Math.max(1, Math.floor(count * 0.8));
  return count;
}

function largestPart(sizes: readonly number[], count: number): number {
  let [largest, part] = [0, 0];
  for (const [nth, size] of sizes.entries()) {
    part = nth % count === 0 ? size : part + size;
    largest = Math.max(largest, part);
  }
  return largest;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** On a list that only carries items to a Job, so that it may be removed when nobody did. */
const MADE_BY = { 'app.kubernetes.io/managed-by': 'muster-run' };

/**
 * Makes a WorkList of a list that is too large for a manifest, with all of its items.
 *
 * @throws Failure when the server refuses it, or `signal` is aborted: then nothing is left of it
 */
export async function uploadList(
  at: { readonly namespace: string; readonly name: string },
  list: ItemList,
  upload: Upload,
): Promise<CarriedList> {
  const { client, bar, signal, isKept } = upload;
  const count = itemsPerPart(list);
  const path = workListPath(at.namespace);
  const carried = await create(
    at,
    {
      apiVersion: 'muster.run/v1',
      kind: 'WorkList',
      metadata: { name: at.name, ...(isKept ? {} : { labels: MADE_BY }) },
      spec: { columns: list.columns, itemsPerPart: count },
    },
    upload,
  );
  try {
    const parts = [...partsOf(list, count, sha256)];
    let done = 0;
    const rest = parts.values();
    const worker = async (): Promise<void> => {
      for (const part of rest) {
        if (signal.aborted) return;
        const { rows: items, sha256: hash } = part;
        await send(`${path}/${at.name}/parts/${part.no}`, { items, sha256: hash }, client, signal);
        bar.show({ done: (done += part.count), total: list.rows.length, text: 'items uploaded' });
      }
    };
    // All have ended before a list that failed is removed: a part that comes later would be lost in it.
    const ended = await Promise.allSettled(Array.from({ length: SENT_AT_ONCE }, worker));
    signal.throwIfAborted();
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const whole = sealedOf(parts, count, sha256);
    const said = whole.kind === 'ok' ? { items: whole.sealed.count, sha256: whole.sealed.sha256 } : {};
    await send(`${path}/${at.name}/seal`, said, client, signal);
    signal.throwIfAborted();
    return carried;
  } catch (error) {
    await removeList(carried, client);
    if (signal.aborted) throw new Failure('interrupted: nothing was created', EXIT.interrupted);
    throw error;
  }
}

const WorkListShape = z.object({
  metadata: z.object({ uid: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
});

async function create(
  at: { readonly namespace: string; readonly name: string },
  list: object,
  { client, replaces }: Upload,
): Promise<CarriedList> {
  const path = workListPath(at.namespace);
  const post = async (): Promise<CarriedList> => {
    const { object } = await client.create(path, list);
    return { ...at, uid: readAs(WorkListShape, object, client.target).metadata.uid };
  };
  try {
    return await post();
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status.reason !== 'AlreadyExists') throw error;
    const standing = readAs(WorkListShape, await client.get(`${path}/${at.name}`), client.target).metadata;
    const isLeft = standing.labels['app.kubernetes.io/managed-by'] === MADE_BY['app.kubernetes.io/managed-by'];
    if (!isLeft)
      throw new Failure(
        `${error.message}\nIt was not made by an upload: choose another name, or, if no CronJob uses it, kubectl delete worklist ${at.name}`,
      );
    if (!replaces) throw new Failure(`${error.message}\nAn upload before has left it: \`--replace\` removes it first.`);
    await removeList({ ...at, uid: standing.uid }, client);
    return await post();
  }
}

/** Sends a part, or the seal: both are safe to repeat. */
async function send(path: string, body: object, client: KubeClient, signal: AbortSignal): Promise<void> {
  for (const waitMs of [...WAITS_MS, null]) {
    try {
      await client.create(path, body);
      return;
    } catch (error) {
      const isFinal = error instanceof ApiFailure && error.status.code < 500 && error.status.code !== 429;
      if (isFinal || waitMs === null || !(error instanceof Failure)) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
}

/** The Job keeps the items; the list has only carried them. A list that another client made meanwhile stays. */
export async function removeList({ namespace, name, uid }: CarriedList, client: KubeClient): Promise<void> {
  try {
    await client.remove(`${workListPath(namespace)}/${name}`, uid);
  } catch (error) {
    if (!(error instanceof Failure)) throw error; // it stays; a later upload of this name says so
  }
}
