import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import { takesResources } from '../../../domain/items/job-items.ts';
import { type Answer, type Asked, type Numbers, decideRoom, settleAll } from '../domain/decide-room.ts';
import { showsLimits, withQuota } from '../domain/quota-document.ts';
import { type Quota, type Wish, recounted, reservedIn } from '../domain/quota.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import { Busy } from '../../../ports/busy.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import { tryOnConflict } from '../../../store/retry-on-conflict.ts';
import type { Deps } from '../../../control/process/deps.ts';
import type { NamespaceCount, QuotaErrand, SettledIn } from './quota-turns.ts';
import { type StoredQuota, countNamespace, readQuotas } from './count-namespace.ts';

/** Room in the quotas of a namespace. `free`: it has none. */
export type Room =
  | { readonly kind: 'free' }
  | { readonly kind: 'reserved'; readonly namespace: string; readonly numbers: Numbers }
  | Refused;

type Refused = { readonly kind: 'forbidden'; readonly why: string };

export const NO_ROOM_TAKEN: Room = { kind: 'free' };

/**
 * Reserves room for a change, before it is made: it counts from now on, and the next caller finds that much less. To be followed
 * by {@link keepRoom} or {@link returnRoom}; if neither comes, a count finds out what has become of the change.
 *
 * @param manifest the Job's, whose Pods must say what they request; null: it is for something without Pods
 * @param held what an earlier call has reserved for the same change
 */
export async function reserveRoom(
  namespace: string,
  wish: Wish,
  manifest: JobManifest | null,
  held: Room,
  deps: Deps,
): Promise<Room> {
  if (held.kind === 'free' && (await readQuotas(namespace, deps)).length === 0) return NO_ROOM_TAKEN;
  const asked: Asked = {
    wish,
    pods: manifest && { spec: manifest.spec.template.spec, fromItems: takesResources(manifest) },
    numbers: held.kind === 'reserved' ? held.numbers : new Map(),
  };
  const answer = await takeTurn(namespace, { kind: 'ask', asked }, deps);
  if (answer?.kind === 'room') return { kind: 'reserved', namespace, numbers: answer.numbers };
  return { kind: 'forbidden', why: answer?.why ?? '' };
}

/** The change is made. */
export function keepRoom(room: Room, deps: Pick<Deps, 'state'>): void {
  note(room, false, deps);
}

/** The change is not made, and will not be: the room is free again. */
export async function returnRoom(room: Room, deps: Deps): Promise<void> {
  if (note(room, true, deps)) await takeTurn(namespaceOf(room), { kind: 'settle' }, deps);
}

const namespaceOf = (room: Room): string => (room.kind === 'reserved' ? room.namespace : '');

function note(room: Room, isReturned: boolean, { state }: Pick<Deps, 'state'>): boolean {
  const { settled: known } = state.quotas.turns;
  if (room.kind !== 'reserved' || room.numbers.size === 0) return false;
  const settled = [...room.numbers].map(([quota, no]) => ({ quota, no, isReturned }));
  known.set(room.namespace, [...(known.get(room.namespace) ?? []), ...settled]);
  return true;
}

/**
 * Counts a namespace anew, and corrects what its quotas say is used.
 *
 * @param max a namespace with more Jobs, or more objects of another kind that it limits, is left as it is
 */
export async function recount(namespace: string, deps: Deps, max: number | null = null): Promise<void> {
  const count = await countNamespace(namespace, deps, max);
  if (count !== null) await takeTurn(namespace, { kind: 'count', count }, deps);
}

/** Other processes may be faster so often. */
const TRIES_MAX = 40;
const PATIENT_AFTER = 4;
const PATIENCE_MS = 25;

/** A process's writers of a namespace's quotas go one after the other, and those that have gathered go together. */
const takeTurn = async (namespace: string, errand: QuotaErrand, deps: Deps): Promise<Answer | null> =>
  deps.state.quotas.turns.batches.run(namespace, errand, async (errands) => work(namespace, errands, deps));

async function work(
  namespace: string,
  errands: readonly QuotaErrand[],
  deps: Deps,
): Promise<readonly (Answer | null)[]> {
  const turn: Turn = {
    asked: errands.flatMap((each) => (each.kind === 'ask' ? [each.asked] : [])),
    counts: errands.flatMap((each) => (each.kind === 'count' ? [each.count] : [])),
  };
  const answers = await tryOnConflict(TRIES_MAX, async (nth) => {
    if (nth >= PATIENT_AFTER) await deps.clock.sleep(PATIENCE_MS * (nth - PATIENT_AFTER + 1));
    return tryTurn(namespace, turn, deps);
  });
  if (answers === 'conflict')
    throw new Busy(`the quotas of namespace ${namespace} changed during each of ${TRIES_MAX} tries`);
  const rest = answers.values();
  return errands.map((each) => (each.kind === 'ask' ? (rest.next().value ?? null) : null));
}

/** What one turn still has to do. */
type Turn = { asked: readonly Asked[]; counts: readonly NamespaceCount[] };

/** Reads, decides, and writes each quota if it is still as it was read. */
async function tryTurn(namespace: string, turn: Turn, deps: Deps): Promise<readonly Answer[] | 'conflict'> {
  const { clock, state } = deps;
  const stored = await readQuotas(namespace, deps);
  const settled = state.quotas.turns.settled.get(namespace) ?? [];
  const now = clock.now();
  // What was kept is only forgotten: that alone is not worth a write.
  const before = settleAll(
    stored.map(({ quota }) => quota),
    settled.filter(({ isReturned }) => !isReturned),
  );
  const counted = before.map((quota) => turn.counts.reduce((each, count) => withCount(each, count, now), quota));
  const returned = settleAll(
    counted,
    settled.filter(({ isReturned }) => isReturned),
  );
  const { quotas, answers } = decideRoom(returned, turn.asked, now);
  if (answers.some(({ kind }) => kind === 'over') && (await countOnce(namespace, turn, deps))) return 'conflict';
  const written = await Promise.all(
    stored.map(async (each, i) => {
      const next = quotas[i] ?? each.quota;
      const isShown = turn.counts.length === 0 || showsLimits(each.stored.document, next);
      return next === before[i] && isShown ? 'same' : write(each, next, deps);
    }),
  );
  if (written.includes('lost')) {
    const isWritten = (uid: string): boolean =>
      written[stored.findIndex(({ quota }) => quota.uid === uid)] === 'written';
    turn.asked = turn.asked.map((asked, i) => ({ ...asked, numbers: kept(asked, answers[i], isWritten) }));
    return 'conflict';
  }
  const isOpen = ({ quota: uid, no }: SettledIn): boolean =>
    stored.some(({ quota }, i) => quota.uid === uid && written[i] === 'same' && reservedIn(quota, no) !== undefined);
  forget(
    namespace,
    settled.filter((each) => !isOpen(each)),
    deps,
  );
  return answers;
}

function withCount(quota: Quota, { read, counted }: NamespaceCount, now: EpochMs): Quota {
  const asRead = read.get(quota.uid);
  const next = asRead === undefined ? null : recounted(quota, asRead, counted, now);
  const isNews = next !== null && !(isSame(next.used, quota.used) && isSame(next.ledger.open, quota.ledger.open));
  return isNews ? next : quota;
}

async function write({ stored }: StoredQuota, quota: Quota, { objects }: Deps): Promise<'written' | 'lost'> {
  const document = withQuota(stored.document, quota);
  const committed = await objects.commit('ResourceQuota', { key: stored.key, was: stored.version, document });
  return committed.kind === 'committed' ? 'written' : 'lost';
}

/** What is reserved for a change whose turn is taken again: only what was written. */
function kept({ numbers }: Asked, answer: Answer | undefined, isWritten: (quota: string) => boolean): Numbers {
  const reserved = answer?.kind === 'room' ? answer.numbers : new Map<string, number>();
  return new Map([
    ...[...numbers].filter(([quota]) => !isWritten(quota)),
    ...[...reserved].filter(([quota]) => isWritten(quota)),
  ]);
}

/** What was not written, and what has become known meanwhile, stays for the next turn. */
function forget(namespace: string, settled: readonly SettledIn[], { state }: Deps): void {
  const known = state.quotas.turns.settled;
  const rest = (known.get(namespace) ?? []).filter((each) => !settled.includes(each));
  if (rest.length === 0) known.delete(namespace);
  else known.set(namespace, rest);
}

/** A refusal may be due to Jobs that have ended since the last count. Each process looks at most so often. */
const COUNT_EVERY_MS = 5_000;
/** More Jobs, or objects, would keep those waiting who ask. */
const COUNTED_MAX = 1_000;

/** Counts before anybody is refused; false: that was done just now. */
async function countOnce(namespace: string, turn: Turn, deps: Deps): Promise<boolean> {
  const { state, clock } = deps;
  const { countedAt } = state.quotas.turns;
  const last = countedAt.get(namespace);
  if (last !== undefined && clock.now() < plusMs(last, COUNT_EVERY_MS)) return false;
  countedAt.set(namespace, clock.now());
  const count = await countNamespace(namespace, deps, COUNTED_MAX);
  if (count === null) return false;
  turn.counts = [...turn.counts, count];
  return true;
}
