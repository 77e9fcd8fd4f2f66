import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import { OBJECT_BYTES_MAX } from '../../ports/object-store.ts';
import type { KubeObject } from './kube-object.ts';
import { type Resource, type StatusError, tooLarge } from './status-error.ts';

/** Reserved for what the server adds to an object that is being deleted: the time, and what it still waits for. */
const ROOM_BYTES = 1024;

/**
 * Why an object cannot be stored: it does not fit into a row (413). null: it fits. What a request sends is smaller, but
 * managedFields are stored too, and every manager adds to them. Where requests may be larger than a row, the store tells: it
 * depends on how far the object can be compressed.
 */
export function tooLargeError(
  object: KubeObject,
  managedFields: readonly ManagedFieldsEntry[],
  { bodyBytesMax = 0 }: Resource,
): StatusError | null {
  if (bodyBytesMax > OBJECT_BYTES_MAX) return null;
  const text = JSON.stringify({ ...object, metadata: { ...object.metadata, managedFields } });
  const bytesMax = OBJECT_BYTES_MAX - ROOM_BYTES;
  return new TextEncoder().encode(text).length <= bytesMax ? null : tooLarge(bytesMax);
}
