import type { Fate } from '../../../shared/adapters/memory/memory-tasks.ts';
import type { Ending } from '../../../shared/domain/base/fact.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { Launch } from '../../../shared/ports/tasks.ts';
import type { Random } from '../random.ts';
import { ORPHAN_NONCE } from '../checks/watchdog.ts';

/** Some strangers go on for weeks unless they are stopped. */
const STRANGERS_RUN_MS = 20 * 86_400_000;

const EXITED = 'Essential container in task exited';
export const DONE: Ending = { cause: 'Completed', exitCode: 0, container: 'main', reason: EXITED };
export const FAILED: Ending = { ...DONE, cause: 'Error', exitCode: 1 };
/** Exit codes of programs that fail; the rules of a podFailurePolicy name some of them. */
export const EXIT_CODES = [1, 3, 42] as const;

/** How this seed's tasks go: how many of them fail by themselves, are taken, never start, or hang. */
export function fatesOf(random: Random, { spec }: JobManifest, large: boolean): (launch: Launch, luck: Random) => Fate {
  // Where the Job says what a failure means, there are some.
  const { backoffLimitPerIndex, podFailurePolicy, template } = spec;
  const judged = backoffLimitPerIndex !== undefined || podFailurePolicy !== undefined;
  const restarting = template.spec.restartPolicy === 'OnFailure';
  const failing =
    judged || restarting
      ? random.pick(large ? [0.02, 0.05] : restarting ? [0.2, 0.6, 0.6] : [0.2, 0.4, 0.6])
      : random.pick(large ? [0, 0.05] : [0, 0.05, 0.3]);
  const taken = random.pick([0, 0.1, 0.2]);
  const hanging = large ? 0 : random.pick([0, 0, 0, 0.1]);
  // The first attempt of these indexes cannot be started, however often its launch is tried: its image is not there.
  const unstartable = !large && random.chance(0.1) ? random.between(0, 6) : null;
  return ({ id }, luck) => {
    const end = luck.next();
    const ending =
      unstartable !== null && id.index % 7 === unstartable && id.attempt === 1
        ? noTask('StartFailed')
        : end < failing
          ? badEnd(luck)
          : end < failing + taken
            ? noTask(luck.pick(['Spot', 'Infrastructure', 'StartFailed', 'Unplaced', 'Stopped'] as const))
            : DONE;
    // Spot tells two minutes ahead, or not at all; some programs are through before their time is up.
    const noticed = luck.chance(ending.cause === 'Spot' ? 0.6 : ending.cause === 'Completed' ? 0.04 : 0);
    const noticeMs = !noticed ? 0 : ending.cause === 'Spot' ? NOTICE_MS : luck.between(1, NOTICE_MS);
    const isOrphan = id.nonce >= ORPHAN_NONCE;
    const runMs = luck.between(1, large ? 5_000 : 120_000);
    return {
      startMs: luck.between(1, 20_000),
      runMs: isOrphan && luck.chance(0.5) ? STRANGERS_RUN_MS : luck.chance(hanging) ? Infinity : runMs,
      stopMs: luck.pick([500, 20_000]),
      ending,
      noticeMs,
    };
  };
}

const NOTICE_MS = 120_000;

/** Calm tasks: they start, run for some seconds and are through. */
export const easyFate = (_: Launch, luck: Random): Fate => ({
  startMs: luck.between(1_000, 5_000),
  runMs: luck.between(1_000, 20_000),
  stopMs: 500,
  ending: DONE,
});

/** The end of a task that no program has brought about. */
export const noTask = (cause: Ending['cause']): Ending => ({ cause, exitCode: null, container: null, reason: cause });

const badEnd = (luck: Random): Ending =>
  luck.chance(0.2)
    ? { cause: 'OOMKilled', exitCode: 137, container: 'main', reason: 'OutOfMemoryError' }
    : { cause: 'Error', exitCode: luck.pick(EXIT_CODES), container: 'main', reason: EXITED };
