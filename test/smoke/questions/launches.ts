import { type Counts, attemptsOf, countsOf, indexed, logOf, podsOf, runJob, toldCounts } from '../ground.ts';
import { type Question, verdict } from '../question.ts';

type Starts = Counts & { readonly pods: number; readonly logs: readonly (readonly string[])[] };

/** A repeated RunTask with the same token starts nothing. */
export const oneStart: Question<Starts> = {
  name: 'one-start',
  asks: 'Is each of six indexes started once?',
  assumed: 'one Pod and one line of output for each; RunTask with a known token starts no second task',
  async observe(ground) {
    const job = await runJob(ground, 'one-start', 'echo "index $JOB_COMPLETION_INDEX"', indexed(6));
    const attempts = await attemptsOf(ground, 'one-start');
    const logs = await Promise.all(attempts.map(async ({ pod }) => logOf(ground, pod)));
    return { ...countsOf(job), pods: (await podsOf(ground, 'one-start')).length, logs };
  },
  judge(seen) {
    const expected = Array.from({ length: 6 }, (_, index) => `index ${index}`);
    const lines = seen.logs.flat();
    return verdict(
      [seen.pods === 6, seen.succeeded === 6, seen.failed === 0, lines.join() === expected.join()],
      `${seen.pods} Pods, ${lines.length} lines; ${toldCounts(seen)}`,
    );
  },
};

type Environment = Counts & { readonly log: readonly string[] };

const LARGE_CHARS = 4_096;
const FREE_CHARS = 3_000;

/** What is the same for all indexes is in the task definition; what differs is in the overrides, which hold 8,192 characters. */
export const environment: Question<Environment> = {
  name: 'environment',
  asks: 'Does a task get 4 KB of environment from its definition, and 3 KB from the overrides?',
  assumed: `${LARGE_CHARS} and ${FREE_CHARS} characters, and its index`,
  async observe(ground) {
    const env = [
      { name: 'LARGE', value: 'x'.repeat(LARGE_CHARS) },
      { name: 'OWN', value: `$(MUSTER_INDEX)-${'y'.repeat(FREE_CHARS)}` },
    ];
    const script = 'echo "${#LARGE} ${OWN%%-*} $((${#OWN} - 2))"';
    const job = await runJob(ground, 'environment', script, { ...indexed(1), env });
    const [attempt] = await attemptsOf(ground, 'environment');
    return { ...countsOf(job), log: await logOf(ground, attempt?.pod ?? '') };
  },
  judge: ({ log, ...counts }) =>
    verdict([log.join() === `${LARGE_CHARS} 0 ${FREE_CHARS}`], log.length > 0 ? log.join() : toldCounts(counts)),
};

type Capacity = Counts & { readonly log: readonly string[] };

const onSpot = (name: string, arch: 'amd64' | 'arm64'): Question<Capacity> => ({
  name,
  asks: `Does Fargate Spot run a task for ${arch}?`,
  assumed: 'it does; without a quota or capacity for Spot, the Job waits and says so',
  async observe(ground) {
    const job = await runJob(ground, name, 'uname -m', {
      ...indexed(1),
      pod: { nodeSelector: { 'muster.run/capacity': 'spot', 'kubernetes.io/arch': arch } },
    });
    const [attempt] = await attemptsOf(ground, name);
    return { ...countsOf(job), log: await logOf(ground, attempt?.pod ?? '') };
  },
  judge: ({ log, ...counts }) =>
    verdict([counts.end === 'Complete', counts.succeeded === 1], `uname -m: ${log.join()}; ${toldCounts(counts)}`),
});

export const spot = onSpot('spot', 'amd64');
export const spotArm = onSpot('spot-arm64', 'arm64');
