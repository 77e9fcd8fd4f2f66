import { type PlantedFault, one, shownBy } from './planted-fault.ts';

const COMMITS = 'shared/store/programs/stored-commits.ts';
const FEED = 'shared/store/programs/stored-feed.ts';
const FEED_PAGES = 'shared/store/programs/feed-pages.ts';
const ITEMS = 'shared/store/programs/stored-items.ts';
const JOBS = 'shared/store/programs/stored-jobs.ts';
const LAUNCHES = 'shared/store/programs/stored-launches.ts';
const ALARMS = 'shared/store/programs/stored-alarms.ts';
const PROGRAM = 'shared/store/rows/program.ts';

/** Mistakes in what a store does: conditions of one request, and what may happen between two of them. */
export const STORE_FAULTS: readonly PlantedFault[] = [
  // one request
  one(
    'a commit does not look at the version',
    COMMITS,
    'condition: versionIs(status.version - 1),',
    'condition: EXISTS,',
    ['G10', 'G2', 'G4'],
  ),
  one(
    'a launch row is written without its condition',
    LAUNCHES,
    'const refusal = yield* writeNext(key, row.version, { [FIELD.body]: json(row.slots) }, { expireAt });',
    "const set = { [FIELD.version]: row.version + 1, [FIELD.body]: json(row.slots) };\n  const refusal = yield* write({ kind: 'update', key, set });",
    ['G2', 'G4', 'G5', 'G6', 'G7'],
  ),
  one('a Job is published though its mark has moved', FEED, 'condition: versionIs(after),', '', ['G14', 'G15']),
  one("a feed's head moves from anywhere", FEED_PAGES, 'condition: headIs(head),', '', ['G14', 'G15', 'bug']),

  // whose write it was
  one(
    'a lost race counts as won',
    PROGRAM,
    'refusal.row?.fields[FIELD.by] === token',
    'refusal.row?.fields[FIELD.by] !== undefined',
    ['G10', 'G2', 'G4'],
  ),
  one(
    'a Job whose creation was repeated counts as the Job of another',
    JOBS,
    "if (ofStatus?.kind === 'condition') return { kind: 'created' };",
    "if (ofStatus?.kind === 'condition') return { kind: 'taken' };",
    ['G17', 'G19', 'G8'],
  ),

  // a second request, where one was enough
  one(
    'a name is free before its Job is deleted',
    COMMITS,
    'const refusals = yield* transact(token, [nextStatus(token, uid, status), freeing(identity)]);',
    'yield* transact(yield* newToken(), [freeing(identity)]);\n  const refusals = yield* transact(token, [nextStatus(token, uid, status)]);',
    ['G7', 'G8', 'G10', 'G17'],
  ),
  one(
    'a name is taken before its Job is stored',
    JOBS,
    'const refusals = yield* transact(token, [',
    'yield* write(put(nameKey(namespace, name), { uid }));\n  const refusals = yield* transact(token, [',
    ['G7', 'G17', 'G19', 'G8'],
  ),
  one(
    'a head moves before its row is there',
    FEED,
    'const refusals = yield* transact(token, [\n    moveHead(feedHeadKey(), head, n),',
    'yield* write(moveHead(feedHeadKey(), head, n));\n  const refusals = yield* transact(token, [',
    ['G14', 'G15'],
  ),

  // what one request leaves to the next
  one(
    'what a busy table leaves undone of a batch is forgotten',
    PROGRAM,
    "rest = (yield { kind: 'batch', writes: rest }) as readonly Write[];",
    "yield { kind: 'batch', writes: rest };\n    rest = [];",
    ['G10'],
  ),
  one(
    'nothing is read beyond the first page',
    PROGRAM,
    '} while (after !== null && found.length < max);',
    '} while (false);',
    ['G25', 'G4', 'G7', 'G10', 'G14'],
  ),
  shownBy(
    417,
    one(
      'items that a cheap read does not show yet count as gone',
      ITEMS,
      '(yield* runWith(content, wanted, true)) ?? (yield* runWith(content, wanted, false))',
      'yield* runWith(content, wanted, true)',
      ['bug'],
    ),
  ),
  one(
    'alarms are looked for in the first shard only',
    ALARMS,
    'place = shard + 1 < ALARM_SHARDS ? { shard: shard + 1, after: null } : null;',
    'place = null;',
    ['G8', 'G15'],
  ),
  one(
    'a row that is in the way keeps its life',
    JOBS,
    "return refusal?.kind === 'conflict' ? 'conflict' : 'done';",
    "return 'done';",
    ['G7'],
  ),
];
