import type { Context } from 'hono';
import { readEviction } from '../../schema/requests/eviction.ts';
import { type Deletion, deletionIn } from '../write/deletion.ts';
import type { Parsed } from '../http/query.ts';
import { type Resource, badRequest } from '../http/status-error.ts';
import { readDocument } from '../write/read-document.ts';
import { notAdmitted } from '../write/refused-write.ts';
import { writeOptions } from '../write/write-options.ts';

const EVICTIONS: Resource = { group: 'policy', plural: 'evictions', kind: 'Eviction' };
const WRITTEN = { resource: EVICTIONS, apiVersion: 'policy/v1', type: 'Eviction' } as const;

export type EvictionRequest = { readonly value: Deletion; readonly warnings: readonly string[] };

/** Parses the `policy/v1` Eviction of a request, and its delete options. */
export async function evictionOf(
  c: Context,
  namespace: string,
  name: string,
): Promise<Exclude<Parsed<never>, { kind: 'ok' }> | ({ readonly kind: 'ok' } & EvictionRequest)> {
  const options = writeOptions(c, 'CreateOptions');
  if (options.kind === 'bad') return options;
  const { dryRun, fieldValidation } = options.value;
  const sent = await readDocument(c, WRITTEN, fieldValidation);
  if (sent.kind === 'bad') return sent;
  const read = readEviction(sent.value.value, fieldValidation);
  if (read.kind === 'undecodable') return { kind: 'bad', error: notAdmitted(EVICTIONS, read) };
  const { metadata, deleteOptions } = read.object;
  if (metadata?.name !== name) return bad('name in URL does not match name in Eviction object');
  if ((metadata.namespace ?? '') !== '' && metadata.namespace !== namespace)
    return bad('the namespace of the provided object does not match the namespace sent on the request');
  const deletion = deletionIn(deleteOptions ?? {}, {}, null);
  if (deletion.kind === 'bad') return deletion;
  if (dryRun && (deleteOptions?.dryRun ?? ['All']).join() !== 'All')
    return bad('Non-matching dry-run options in request and content');
  const value = { ...deletion, dryRun: dryRun || deletion.dryRun };
  return { kind: 'ok', value, warnings: [...sent.value.warnings, ...read.warnings] };
}

const bad = (message: string) => ({ kind: 'bad', error: badRequest(message) }) as const;
