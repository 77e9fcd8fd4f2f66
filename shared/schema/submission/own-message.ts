import * as z from 'zod';
import { JOB_TEMPLATES } from '../../capabilities/lists/job-templates.ts';
import { ANNOTATIONS, isTaskToken } from '../../domain/manifests/annotations.ts';
import { NAMINGS } from '../../domain/manifests/annotations/lists.ts';
import { DEFAULT_NAMESPACE } from '../../domain/manifests/namespace.ts';
import { formatInlineItems } from '../items/inline-items.ts';
import { parseItems } from '../items/parse-items.ts';
import { alteredText } from '../text/altered-numbers.ts';
import { fieldPath } from '../object/field-error.ts';
import type { FloatNumber } from '../text/json-text.ts';
import { type Fault, type ReadMessage, type Said, type SubmittedItems, unreadable } from './submission.ts';

const TOKEN_CHARS_MAX = 2_048; // Step Functions API reference, SendTaskSuccess
const ID_CHARS_MAX = 512;

const Name = z.string().min(1, 'must not be empty');
const Scalar = z.union([z.string(), z.number(), z.boolean()], 'must be a string, a number, or a boolean');

/** What a message that names its items names. */
const [NAMING = null] = NAMINGS;
const ITEMS_ARE = `must be an array of items${NAMING === null ? '' : `, or the name of a ${NAMING.names}`}`;

const ItemsShape = z
  .union([Name, z.array(z.unknown()).readonly()], ITEMS_ARE)
  .refine((items) => typeof items !== 'string' || NAMING !== null, ITEMS_ARE);

/** `CronJob`, `Job` */
const TEMPLATE_KINDS = [...JOB_TEMPLATES.map(({ kind }) => kind), 'Job'] as const;
const A_TEMPLATE = TEMPLATE_KINDS.join(' or ');

const FromShape = z.strictObject({
  kind: z.enum(TEMPLATE_KINDS, `must be ${A_TEMPLATE}`),
  name: Name,
  namespace: Name.optional(),
});

const MessageShape = z
  .strictObject({
    manifest: z.record(z.string(), z.unknown(), 'must be an object: a Job of batch/v1').optional(),
    from: FromShape.optional(),
    namespace: Name.optional(),
    id: Name.max(ID_CHARS_MAX, `must have at most ${ID_CHARS_MAX} characters`).optional(),
    name: Name.optional(),
    items: ItemsShape.optional(),
    allowEmpty: z.boolean('must be true or false').optional(),
    env: z.record(z.string(), Scalar, 'must be an object of values by name, such as {"DAY": "2026-11-23"}').optional(),
    taskToken: Name.max(TOKEN_CHARS_MAX, `must have at most ${TOKEN_CHARS_MAX} characters`).optional(),
  })
  .superRefine((message, context) => {
    const refuse = (path: readonly string[], text: string): void =>
      context.addIssue({ code: 'custom', path: [...path], message: text });
    const { manifest, from, namespace, items, allowEmpty = false, taskToken } = message;
    if ((manifest === undefined) === (from === undefined))
      refuse([], `must have manifest (a Job) or from (the ${A_TEMPLATE} whose template it has), and not both`);
    if (manifest !== undefined)
      for (const field of ['name', 'items', 'allowEmpty', 'env'] as const)
        if (message[field] !== undefined) refuse([field], 'belongs to from; with manifest, write it into the manifest');
    // Step Functions' Map state succeeds at once where it has no items.
    if (items?.length === 0 && !allowEmpty && taskToken === undefined)
      refuse(['items'], 'must have an item; with "allowEmpty": true none is fine, and the Job is complete at once');
    if (namespace !== undefined && from?.namespace !== undefined && namespace !== from.namespace)
      refuse(['from', 'namespace'], `must be ${namespace}, as namespace says: a Job is made where its template is`);
  });
type Message = z.output<typeof MessageShape>;

const Named = z.object({ metadata: z.object({ name: Name }) });
const Placed = z.object({ metadata: z.object({ namespace: Name }) });

/** It is one of ours, right or wrong. */
export const isOwnMessage = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('manifest' in value || 'from' in value);

/**
 * Reads our own message.
 *
 * @param value parsed JSON
 * @param source of the message that it came in, for one that has no id of its own
 * @param altered numbers of its text that are another text when they are read
 */
export function readOwnMessage(value: unknown, source: string, altered: readonly FloatNumber[]): ReadMessage {
  const read = MessageShape.safeParse(value);
  if (!read.success) return unreadable('the message is invalid', faultsOf(read.error), saidIn(value));
  const message = read.data;
  const { manifest, from } = message;
  const taskToken = message.taskToken ?? saidToken(value);
  const numbers = alteredFaults(altered);
  if (numbers.length > 0) return unreadable('the message is invalid', numbers, saidIn(value));
  const namespace = message.namespace ?? from?.namespace ?? saidNamespace(value) ?? DEFAULT_NAMESPACE;
  const common = { namespace, source: sourceOf(message, source), taskToken };
  if (manifest !== undefined)
    return { kind: 'submission', submission: { ...common, of: { kind: 'manifest', document: manifest } } };
  const items = message.items === undefined ? null : itemsOf(message.items);
  if (items?.kind === 'bad') return unreadable('the message is invalid', items.faults, saidIn(value));
  const env = Object.entries(message.env ?? {}).map(([name, each]) => ({ name, value: String(each) }));
  const additions = { name: message.name ?? null, items, env };
  // The shape demands one of the two.
  const of = { kind: from?.kind ?? 'Job', name: from?.name ?? '', additions };
  return { kind: 'submission', submission: { ...common, of } };
}

/** Numbers of `items` and `env` become texts: what is not read as it is written would be another item. */
export const alteredFaults = (altered: readonly FloatNumber[]): readonly Fault[] =>
  altered
    .filter(({ path: [field] }) => field === 'items' || field === 'env')
    .map(({ path, text }) => ({ path: fieldPath(path), message: alteredText(text) }));

/**
 * A message with an `id` is known by it; one that names its Job by all that it says, so that another of that name is refused
 * and not taken for it. Every try of a Step Functions task has a token of its own, and waits for an answer of its own.
 */
function sourceOf(message: Message, envelope: string): string {
  const { id, name, manifest, taskToken } = message;
  if (id !== undefined) return taskToken === undefined ? `id/${id}` : `id/${id}/token/${taskToken}`;
  if (name !== undefined || Named.safeParse(manifest).success) return `named/${JSON.stringify(message)}`;
  return taskToken === undefined ? envelope : `token/${taskToken}`;
}

const Token = z.string().refine(isTaskToken);
const Awaited = z.object({ taskToken: Token });
const AwaitedManifest = z.object({
  manifest: z.object({ metadata: z.object({ annotations: z.object({ [ANNOTATIONS.taskToken]: Token }) }) }),
});

/** The token of the task that waits for what a message makes, right or wrong; null: it has none. */
export function saidToken(value: unknown): string | null {
  const own = Awaited.safeParse(value);
  if (own.success) return own.data.taskToken;
  const manifest = AwaitedManifest.safeParse(value);
  return manifest.success ? manifest.data.manifest.metadata.annotations[ANNOTATIONS.taskToken] : null;
}

const saidIn = (value: unknown): Said => ({ namespace: saidNamespace(value), taskToken: saidToken(value) });

/** Where a message belongs, as far as it can be read. */
function saidNamespace(value: unknown): string | null {
  const own = z.object({ namespace: Name }).safeParse(value);
  if (own.success) return own.data.namespace;
  const from = z.object({ from: z.object({ namespace: Name }) }).safeParse(value);
  if (from.success) return from.data.from.namespace;
  const manifest = z.object({ manifest: Placed }).safeParse(value);
  return manifest.success ? manifest.data.manifest.metadata.namespace : null;
}

function itemsOf(
  items: string | readonly unknown[],
): SubmittedItems | { readonly kind: 'bad'; readonly faults: readonly Fault[] } {
  if (typeof items === 'string') return { kind: 'named', key: NAMING?.key ?? '', name: items };
  if (items.length === 0) return { kind: 'none' };
  const lines = items.map((item) => JSON.stringify(item)).join('\n');
  const parsed = parseItems(lines, { format: 'jsonl', header: false, skipEmpty: false });
  if (parsed.kind === 'ok') return { kind: 'inline', text: formatInlineItems(parsed.list) };
  const faults = parsed.faults.map(({ line, message }) => ({ path: `items[${line - 1}]`, message }));
  return { kind: 'bad', faults };
}

const faultsOf = (error: z.ZodError): readonly Fault[] =>
  error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: fieldPath([...issue.path, key]), message: 'unknown field' }))
      : [{ path: fieldPath(issue.path), message: issue.message }],
  );
