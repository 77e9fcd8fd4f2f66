import { areAmong } from '../../../domain/callers/accounts.ts';
import type { Context } from 'hono';
import { ITEMS_MAX, itemFault } from '../../../domain/items/item-list.ts';
import { type PartSummary, partOf, sealedOf } from '../../../domain/items/item-parts.ts';
import { type Seal, type SentBody, readSeal, readSentPart } from '../schema/sent-parts.ts';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import type { ContentHead, SealedContent } from '../../../ports/item-store.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { readText } from '../../../kube/http/request-body.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import {
  badRequest,
  conflict,
  errorResponse,
  forbiddenObject,
  invalidObject,
  notFound,
} from '../../../kube/http/status-error.ts';
import { at } from '../../../kube/list/stored-field.ts';
import { renderStored } from '../../../kube/list/stored-objects.ts';
import { accountsOf } from '../../../kube/write/account-objection.ts';
import { statusOf } from './work-list-status.ts';

// Large lists: created without items, sent in parts, and sealed. Every step is safe to repeat.

const FAULTS_MAX = 10;

/** Answers `POST …/worklists/NAME/parts/NO`: stores a part, or refuses it whole. */
export async function addPart(c: Context, deps: ApiDeps): Promise<Response> {
  const found = await ownList(c, deps);
  if (found instanceof Response) return found;
  const { head, name } = found;
  const no = Number(/^\d{1,7}$/.exec(c.req.param('no') ?? '')?.[0] ?? Number.NaN);
  if (Number.isNaN(no)) return errorResponse(badRequest('a part has a number, from 0 on'));
  const beyond = beyondErrors(no, 1, head);
  if (beyond.length > 0) return errorResponse(invalidObject(API_KINDS.WorkList, name, beyond));
  const body = await bodyOf(c, readSentPart);
  if (body instanceof Response) return body;
  const part = partOf(no, body.items, head.columns, deps.hash);
  const errors = partErrors(part, body.sha256, head);
  if (errors.length > 0) return errorResponse(invalidObject(API_KINDS.WorkList, name, errors));
  const known = await deps.items.readPart(head.content, no);
  if (head.sealed !== null && known?.sha256 !== part.sha256)
    return errorResponse(conflict(API_KINDS.WorkList, name, 'it is sealed: its items do not change'));
  const written = known?.sha256 === part.sha256 ? { kind: 'written' } : await deps.items.writePart(head, part);
  if (written.kind === 'conflict')
    return errorResponse(
      conflict(API_KINDS.WorkList, name, `part ${no} has other items already; delete the list to begin again`),
    );
  return c.json(shownPart(part), 201);
}

const shownPart = ({ no, count, bytes, sha256 }: PartSummary) => ({ no, items: count, bytes, sha256 });

/** The faults of a part with items that no list can have. */
function beyondErrors(no: number, count: number, { itemsPerPart }: ContentHead): readonly FieldError[] {
  const items = no * itemsPerPart + count;
  return items <= ITEMS_MAX
    ? []
    : [invalid('no', no, `the list would have ${items} items and more; the limit is ${ITEMS_MAX}`)];
}

function partErrors(
  { no, rows, sha256 }: ReturnType<typeof partOf>,
  said: string | undefined,
  head: ContentHead,
): readonly FieldError[] {
  const { columns, itemsPerPart } = head;
  const errors: FieldError[] = [...beyondErrors(no, rows.length, head)];
  if (said !== undefined && said !== sha256)
    errors.push(invalid('sha256', said, `the items have ${sha256}: they have changed on their way`));
  if (rows.length === 0 || rows.length > itemsPerPart)
    errors.push(invalid('items', undefined, `a part has 1 to ${itemsPerPart} items, and this has ${rows.length}`));
  for (const [nth, row] of rows.entries()) {
    const fault = itemFault(row, no * itemsPerPart + nth, columns.length);
    if (fault !== null) errors.push(invalid(`items[${nth}]`, undefined, fault));
    if (errors.length === FAULTS_MAX) break;
  }
  return errors;
}

/** Answers `GET …/parts`: which parts are stored, for a sender that continues. */
export async function listParts(c: Context, deps: ApiDeps): Promise<Response> {
  const found = await openList(c, deps);
  if (found instanceof Response) return found;
  return c.json({ parts: (await deps.items.listParts(found.head.content)).map(shownPart) });
}

/** Answers `POST …/seal`: the list is whole now, and says what its sender says; otherwise nothing changes. */
export async function sealList(c: Context, deps: ApiDeps): Promise<Response> {
  const found = await ownList(c, deps);
  if (found instanceof Response) return found;
  const { head, name, stored } = found;
  const body = await bodyOf(c, readSeal);
  if (body instanceof Response) return body;
  const whole =
    head.sealed === null
      ? sealedOf(await deps.items.listParts(head.content), head.itemsPerPart, deps.hash)
      : ({ kind: 'ok', sealed: head.sealed } as const);
  if (whole.kind === 'bad') return errorResponse(conflict(API_KINDS.WorkList, name, whole.message));
  const errors = sealErrors(whole.sealed, body);
  if (errors.length > 0) return errorResponse(invalidObject(API_KINDS.WorkList, name, errors));
  if (!(await deps.items.seal(head.content, whole.sealed))) return errorResponse(notFound(API_KINDS.WorkList, name));
  const object = await showSealed(stored, whole.sealed, deps);
  return object === null
    ? errorResponse(conflict(API_KINDS.WorkList, name, 'it was changed at this moment; try again'))
    : c.json(object);
}

function sealErrors(sealed: SealedContent, said: Seal): readonly FieldError[] {
  return [
    ...(said.items === undefined || said.items === sealed.count
      ? []
      : [invalid('items', said.items, `the parts have ${sealed.count} items`)]),
    ...(said.sha256 === undefined || said.sha256 === sealed.sha256
      ? []
      : [invalid('sha256', said.sha256, `the parts have ${sealed.sha256}`)]),
  ];
}

/** The object with its status; null: it was changed meanwhile. */
async function showSealed(stored: StoredObject, sealed: SealedContent, { objects }: ApiDeps) {
  if (at(stored.document, 'status', 'sealed') === true) return renderStored(stored);
  const document = { ...stored.document, status: statusOf(sealed) };
  const committed = await objects.commit('WorkList', { key: stored.key, was: stored.version, document });
  return committed.kind === 'committed' ? renderStored({ ...stored, version: committed.version, document }) : null;
}

type OpenList = { readonly head: ContentHead; readonly name: string; readonly stored: StoredObject };

/** A list whose items the caller may say: all accounts under which they may be run are the caller's to use. */
async function ownList(c: Context, deps: ApiDeps): Promise<OpenList | Response> {
  const found = await openList(c, deps);
  if (found instanceof Response) return found;
  const { head, name } = found;
  const user = deps.callerOf(c);
  if (areAmong(head.accounts ?? 'all', await accountsOf(user, head.namespace, deps))) return found;
  const why = `its items may be run under ServiceAccounts that user ${JSON.stringify(user.username)} cannot use: make a list of your own`;
  return errorResponse(forbiddenObject(API_KINDS.WorkList, name, why));
}

async function openList(c: Context, { objects, items }: ApiDeps): Promise<OpenList | Response> {
  const { namespace = '', name = '' } = c.req.param() as { readonly namespace?: string; readonly name?: string };
  const stored = await objects.read('WorkList', { namespace, name });
  const head = stored === null ? null : await items.readHead(stored.document.metadata.uid);
  return stored === null || head === null ? errorResponse(notFound(API_KINDS.WorkList, name)) : { head, name, stored };
}

async function bodyOf<T>(c: Context, read: (value: unknown) => SentBody<T>): Promise<T | Response> {
  const body = await readText(c, 'json');
  if (body.kind === 'refused') return errorResponse(body.error);
  const value = body.kind === 'read' && body.document.kind === 'parsed' ? body.document.value : {};
  const sent = read(value);
  return sent.kind === 'read' ? sent.value : errorResponse(badRequest(sent.message));
}
