import * as z from 'zod';

const StageResult = z.object({
  name: z.string(),
  outcome: z.enum(['passed', 'failed']),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  sec: z.int(),
  /** What failed, a line each. */
  reds: z.array(z.string()),
});
export type StageResult = z.output<typeof StageResult>;

/** What `npm run verify` leaves: which stages ran on which commit, and how they ended. */
export const SummarySchema = z.object({
  commit: z.string(),
  isDirty: z.boolean(),
  startedAt: z.string(),
  node: z.string(),
  cores: z.int(),
  stages: z.array(StageResult),
});
export type Summary = z.output<typeof SummarySchema>;

const REPORT = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).nullish() }),
      ),
    }),
  ),
});

/** Of what vitest's JSON reporter wrote: the counts, and a line for each test or file that failed. */
export function countsOf(report: unknown): Pick<StageResult, 'passed' | 'failed' | 'skipped' | 'reds'> {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = REPORT.parse(report);
  const reds = testResults.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [`${name}: the file failed`] : [];
    return tests.map(({ fullName, failureMessages }) => `${fullName}: ${firstLineOf(failureMessages?.[0] ?? '')}`);
  });
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests, reds };
}

/** How a stage ended. A stage without tests counts as one, and so does a failure of which no test says anything. */
export function resultOf(
  name: string,
  exitCode: number | null,
  counts: ReturnType<typeof countsOf> | null,
  sec: number,
): StageResult {
  const isPassed = exitCode === 0;
  const { passed, failed, skipped, reds } = counts ?? { passed: isPassed ? 1 : 0, failed: 0, skipped: 0, reds: [] };
  return {
    name,
    outcome: isPassed ? 'passed' : 'failed',
    passed,
    failed: isPassed ? failed : Math.max(1, failed),
    skipped,
    sec: Math.round(sec),
    reds: isPassed || reds.length > 0 ? reds : [`${name} ended with ${exitCode ?? 'a signal'}`],
  };
}

/** What is known of the stages: those that ran on the same sources before stay until they run again. */
export function resumed(before: Summary | null, now: Omit<Summary, 'stages'>, running: readonly string[]): Summary {
  const isSame = before !== null && before.commit === now.commit && !before.isDirty && !now.isDirty;
  const stages = isSame ? before.stages.filter(({ name }) => !running.includes(name)) : [];
  return { ...now, startedAt: isSame ? before.startedAt : now.startedAt, stages };
}

/** A table of the stages in the order of `names`, and in the last line the sums. */
export function tableOf({ commit, isDirty, stages }: Summary, names: readonly string[]): string {
  const rows = names.map((name) => {
    const found = stages.find((stage) => stage.name === name);
    if (found === undefined) return `${name.padEnd(10)} did not run`;
    const { outcome, passed, failed, skipped, sec } = found;
    const left = skipped > 0 ? `, ${skipped} skipped` : '';
    return `${name.padEnd(10)} ${outcome.padEnd(7)} ${String(sec).padStart(5)} s   ${passed} passed, ${failed} failed${left}`;
  });
  const reds = stages.flatMap(({ name, reds }) => reds.map((red) => `red: ${name}: ${red}`));
  const sum = (of: 'passed' | 'failed'): number => stages.reduce((all, stage) => all + stage[of], 0);
  const sec = stages.reduce((all, stage) => all + stage.sec, 0);
  return [
    '',
    ...rows,
    ...reds,
    `commit ${commit}${isDirty ? ', with changes' : ''}: ${sec} s`,
    `${sum('passed')} passed, ${sum('failed')} failed`,
  ].join('\n');
}

const firstLineOf = (text: string): string => text.split('\n', 1)[0]?.slice(0, 300) ?? '';
