import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { errorText } from '../../domain/base/error-text.ts';
import { FAMILY_PREFIX, familiesOf } from '../../domain/task/task.ts';
import type { DispatchMessage } from '../../ports/queues.ts';
import type { Deps } from '../process/deps.ts';

type Asked<K extends DispatchMessage['kind']> = Omit<Extract<DispatchMessage, { kind: K }>, 'kind'>;
type SweepDeps = Pick<Deps, 'jobs' | 'tasks' | 'queues' | 'clock' | 'settings' | 'telemetry'>;

/** A family's name is a hash, so every prefix of two digits has as many families. */
const PREFIXES = 256;
const HOUR_MS = 3_600_000;
/** ECS throttles: the same is requested again this much later, this often; then the prefix waits for its next turn. */
const LATER_DELAY_SEC = 10;
const TURNS_MAX = 30;
/** With the delay above, one call in two seconds: ECS allows one a second, and 20 at once, and Jobs register, too. */
const DEREGISTERED_MAX = 5;
/** No message runs longer; another takes the rest of the Jobs. */
const JOBS_MAX_MS = 20_000;
const JOBS_PER_PAGE = 100;

/** Which families are looked at in the hour of `at`: each once in 256 hours, so nothing has to be remembered. */
export const prefixAt = (at: EpochMs): string =>
  FAMILY_PREFIX + (Math.floor(at / HOUR_MS) % PREFIXES).toString(16).padStart(2, '0');

/**
 * Looks for task definitions that are older than the history, one page of families after the other, and asks for those that no
 * Job uses to be deregistered. It is no repair: what fails now is tried again when it is the prefix's turn again.
 */
export async function sweepDefinitions(
  { prefix, after, turn = 0 }: Asked<'sweepDefinitions'>,
  deps: SweepDeps,
): Promise<void> {
  const { tasks, queues, clock, settings } = deps;
  const before = plusMs(clock.now(), -settings.historyMs);
  await untilNextTurn(prefix, deps, async () => {
    const page = await tasks.listOldFamilies({ prefix, before, after });
    if (page.kind === 'later') {
      if (turn < TURNS_MAX)
        await queues.dispatch([{ kind: 'sweepDefinitions', prefix, after, turn: turn + 1 }], LATER_DELAY_SEC);
      return;
    }
    const { families, next } = page;
    if (families.length > 0) await queues.dispatch([{ kind: 'retireDefinitions', families, before, after: null }], 0);
    if (next !== null) await queues.dispatch([{ kind: 'sweepDefinitions', prefix, after: next }], LATER_DELAY_SEC);
  });
}

/**
 * Deregisters definitions that no open Job needs. First it takes those out of the list that a Job with an alarm uses, which is
 * every Job that runs or will start by itself; then it deregisters what is left, a few at a time. A suspended Job, or one that
 * begins meanwhile, may lose its definition: ECS then refuses its launch, and dispatch registers the definition anew.
 */
export async function retireDefinitions(asked: Asked<'retireDefinitions'>, deps: SweepDeps): Promise<void> {
  const { families, after } = asked;
  await untilNextTurn(families[0] ?? '', deps, async () =>
    after === undefined ? deregisterSome(asked, deps) : withoutUsed(asked, after, deps),
  );
}

async function withoutUsed(
  { families, before }: Asked<'retireDefinitions'>,
  from: string | null,
  deps: SweepDeps,
): Promise<void> {
  const { jobs, queues, clock } = deps;
  const left = new Set(families);
  const until = plusMs(clock.now(), JOBS_MAX_MS);
  let after = from;
  do {
    const page = await jobs.dueJobs({ now: null, after, limit: JOBS_PER_PAGE });
    const templates = await Promise.all(page.uids.map(async (uid) => jobs.readTemplates(uid)));
    for (const family of templates.flat().flatMap(familiesOf)) left.delete(family);
    after = page.next;
  } while (after !== null && left.size > 0 && clock.now() < until);
  if (left.size === 0) return;
  const rest = { families: [...left], before };
  if (after === null) await deregisterSome(rest, deps);
  else await queues.dispatch([{ kind: 'retireDefinitions', ...rest, after }], 0);
}

async function deregisterSome(
  { families, before, turn = 0 }: Asked<'retireDefinitions'>,
  { tasks, queues, telemetry }: SweepDeps,
): Promise<void> {
  const left = [...families];
  const again: string[] = [];
  let isBusy = false;
  for (let family = left.shift(); family !== undefined; family = left.shift()) {
    const answer = await tasks.deregister({ family, before });
    // It may have more revisions. ECS may show this one a little longer, so the next is looked for later.
    if (answer.kind === 'deregistered') again.push(family);
    isBusy = answer.kind === 'later';
    if (isBusy) left.unshift(family);
    if (isBusy || again.length === DEREGISTERED_MAX) break;
  }
  if (again.length > 0) telemetry.count('DefinitionsDeregistered', again.length);
  const rest = [...left, ...again];
  const next = isBusy ? turn + 1 : turn;
  if (rest.length > 0 && next <= TURNS_MAX)
    await queues.dispatch([{ kind: 'retireDefinitions', families: rest, before, turn: next }], LATER_DELAY_SEC);
}

/** A refusal, such as for a missing right, must not come back as a dead letter: unused definitions harm nobody. */
async function untilNextTurn(subject: string, { telemetry }: SweepDeps, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    telemetry.warn('task definitions not swept', { subject, error: errorText(error) });
  }
}
