import { HEADER_BYTES, LAYOUT, decodeRow, encodeRow, keyOf } from '../../../shared/adapters/rows/lmdb-layout.ts';
import { NewerFormatError, isNewerFormat } from '../../../shared/domain/base/newer-format.ts';
import { json } from '../../../shared/store/rows/fields.ts';
import { FIELD, nameOf } from '../../../shared/store/rows/row.ts';
import * as z from 'zod';
import { statusOf } from './old-status.ts';
import { type Sentenced, whyOfSentence } from './why-of-sentence.ts';

/** How rows of format 2 lay in their file: as today, under this number. */
const OLD_LAYOUT = 2;

/**
 * What a row of format 2 is in format 3: its key, which `text` is, stays. What its body says is not checked, as far as it stays as it
 * is. null: it cannot be decoded.
 *
 * @throws NewerFormatError for a row of a later release
 */
export function newRowOf(text: string, old: Buffer): Buffer | null {
  const [layout] = old;
  const key = keyOf(text) ?? { partition: text, sort: '' };
  if (layout !== undefined && layout > OLD_LAYOUT) throw new NewerFormatError(nameOf(key), layout, OLD_LAYOUT);
  if (layout !== OLD_LAYOUT || old.length < HEADER_BYTES) return null;
  const row = Buffer.from(old);
  row[0] = LAYOUT;
  const [, bodyOf] = CHANGED.find(([pattern]) => pattern.test(text)) ?? [];
  if (bodyOf === undefined) return row;
  try {
    const { [FIELD.body]: body, ...fields } = decodeRow(key, row);
    return body instanceof Uint8Array ? encodeRow({ ...fields, [FIELD.body]: bodyOf(body) }) : null;
  } catch (error) {
    if (isNewerFormat(error)) throw error;
    return null;
  }
}

type Body = (old: Uint8Array) => Uint8Array;
type Json = Readonly<Record<string, unknown>>;

const inJson =
  (change: (old: Json) => Json): Body =>
  (old) =>
    json(change(JSON.parse(Buffer.from(old).toString('utf8')) as Json));

/** Bodies that are others now, by the texts of their keys. What older releases have left out is filled in. */
const CHANGED: readonly (readonly [RegExp, Body])[] = [
  [/^JOB#[^\0]+\0STATUS$/, statusOf],
  [/^JOB#[^\0]+\0SPEC$/, inJson((spec) => ({ revision: spec['generation'], ...spec }))],
  [/^TASK#/, inJson(attemptOf)],
  [/^CRON#/, inJson((cron) => ({ kind: 'CronJob', ...cron }))],
];

/** The record of an attempt. */
function attemptOf({ judgement = { as: 'failed', because: '' }, ending, ...attempt }: Json): Json {
  const ended = { container: null, ...(ending as Json) };
  return { failures: 0, ignored: 0, restarts: 0, ...attempt, ending: ended, judgement: judgementOf(judgement) };
}

/** What its end counts as, and why, which was a sentence. */
const judgementOf = (old: unknown): unknown => (isSentenced(old) ? whyOfSentence(old) : old);

/** What was stored as an outcome was one; what is not is refused when the row is read. */
const isSentenced = (old: unknown): old is Sentenced => SENTENCED.safeParse(old).success;
const SENTENCED = z.object({ as: z.string(), because: z.string() });
