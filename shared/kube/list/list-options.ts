import type { Context } from 'hono';
import { type FieldError, forbidden, notSupported } from '../../schema/object/field-error.ts';
import { type Parsed, countOf, flagOf, ok, versionOf } from '../http/query.ts';
import { badRequest, invalidObject } from '../http/status-error.ts';

/** The options of a list or watch request that do not select objects. */
export type ListOptions = {
  readonly watch: boolean;
  /** null: none was given. */
  readonly version: number | null;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly timeoutSec: number | null;
  readonly bookmarks: boolean;
  /** A watch begins with all existing objects, then a bookmark that says so; false: with nothing; null: not given. */
  readonly sendInitialEvents: boolean | null;
};

const OPTIONS = { group: 'meta.k8s.io', plural: 'listoptions', kind: 'ListOptions' };

/** Parses and validates the options of a list or a watch (Kubernetes' ValidateListOptions, in its words). */
export function parseListOptions(c: Context): Parsed<ListOptions> {
  const query = c.req.query();
  const version = versionOf(query['resourceVersion']);
  if (version.kind === 'bad') return version;
  const timeout = countOf('timeoutSeconds', query['timeoutSeconds']);
  if (timeout.kind === 'bad') return timeout;
  const watch = flagOf(query['watch']);
  const initial = query['sendInitialEvents'];
  const match = query['resourceVersionMatch'] ?? '';
  const given = { watch, match, initial, continues: (query['continue'] ?? '') !== '', version: version.value };
  const errors = watch ? watchErrors(given) : listErrors(given);
  if (errors.length > 0) return { kind: 'bad', error: invalidObject(OPTIONS, '', errors) };
  if (given.continues && !watch && (version.value ?? 0) > 0)
    return { kind: 'bad', error: badRequest('specifying resource version is not allowed when using continue') };
  return ok({
    watch,
    version: version.value,
    match: match === 'Exact' || match === 'NotOlderThan' ? match : '',
    timeoutSec: timeout.value,
    bookmarks: flagOf(query['allowWatchBookmarks']),
    sendInitialEvents: initial === undefined ? null : flagOf(initial),
  });
}

type Given = {
  readonly match: string;
  readonly initial: string | undefined;
  readonly continues: boolean;
  readonly version: number | null;
};

const MATCH = 'resourceVersionMatch';

function listErrors({ match, initial, continues, version }: Given): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (match !== '') {
    if (version === null) errors.push(forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    if (continues) errors.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && version === 0)
      errors.push(forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
  }
  if (initial !== undefined) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchErrors({ match, initial, continues }: Given): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (initial !== undefined && match !== 'NotOlderThan')
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (match === '') return errors;
  if (initial === undefined)
    errors.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
  if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  if (continues) errors.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
  return errors;
}
