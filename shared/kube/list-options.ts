import type { Context } from 'hono';
import { type Fault, forbidden, notSupported } from '../schema/fault.ts';
import { type Parsed, countOf, flagOf, ok, versionOf } from './query.ts';
import { badRequest, invalidObject } from './status-error.ts';

/** What of a list or watch request is not about which objects. */
export type ListOptions = {
  readonly watch: boolean;
  /** null: none was given. */
  readonly version: number | null;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly timeoutSec: number | null;
  readonly bookmarks: boolean;
  /** A watch begins with everything there is, then a bookmark that says so; false: with nothing; null: not said. */
  readonly sendInitialEvents: boolean | null;
};

const OPTIONS = { group: 'meta.k8s.io', plural: 'listoptions', kind: 'ListOptions' };

/** Reads and checks the options of a list or a watch (Kubernetes' ValidateListOptions, in its words). */
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
  const faults = watch ? watchFaults(given) : listFaults(given);
  if (faults.length > 0) return { kind: 'bad', error: invalidObject(OPTIONS, '', faults) };
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

function listFaults({ match, initial, continues, version }: Given): readonly Fault[] {
  const faults: Fault[] = [];
  if (match !== '') {
    if (version === null) faults.push(forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    if (continues) faults.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      faults.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && version === 0)
      faults.push(forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
  }
  if (initial !== undefined) faults.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return faults;
}

function watchFaults({ match, initial, continues }: Given): readonly Fault[] {
  const faults: Fault[] = [];
  if (initial !== undefined && match !== 'NotOlderThan')
    faults.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (match === '') return faults;
  if (initial === undefined)
    faults.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
  if (match !== 'NotOlderThan') faults.push(notSupported(MATCH, match, ['NotOlderThan']));
  if (continues) faults.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
  return faults;
}
