import { describe, expect, test } from 'vitest';
import { createDoctor } from '../control/create-doctor.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { LogReader } from '../../../ports/log-reader.ts';
import type { JobWish } from '../../../../test/support/a-job.ts';
import { NO_LOGS } from '../../../../test/support/no-logs.ts';
import { BAD, DONE, Stage } from '../../../../test/support/a-stage.ts';
import { examiner, short, work, find } from './examined-job.ts';

describe('a failed Job', () => {
  const logOf = (lines: readonly string[]): LogReader => ({
    ...NO_LOGS,
    readBack: async () => ({
      kind: 'lines',
      lines: lines.map((text) => ({ atMs: 0, text })),
      next: '',
      previous: '',
    }),
  });
  /** A Job whose tasks end with exit code 1 after a second. `log` is the output of each. */
  async function aFailedJob(wish: JobWish = {}, log: readonly string[] = [], ending = BAD) {
    const stage = new Stage();
    stage.fate = { ...stage.fate, runMs: 1_000, ending };
    const uid = await stage.job({ completions: 3, parallelism: 2, backoffLimit: 0, ...wish });
    for (let nth = 0; nth < 8; nth++) {
      stage.advance(1_000);
      await stage.settle();
    }
    let logReads = 0;
    const { handler, deps } = examiner(stage);
    const logs: LogReader = {
      ...logOf(log),
      readBack: async (page) => {
        logReads++;
        return logOf(log).readBack(page);
      },
    };
    const doctor = createDoctor({ deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs }, deps);
    return { stage, uid, handler, deps, doctor, logReads: () => logReads };
  }

  test('has its time, reason, failed indexes by exit code, the last line of a log, and what to do', async () => {
    const w = await aFailedJob({}, ['Traceback (most recent call last):', 'KeyError: 7', ' ']);
    const diagnosis = await work(w);
    expect(short(diagnosis)).toEqual(['error JobFailed', 'error PodsFailed']);
    const { phase } = await w.stage.status(w.uid);
    expect(find(diagnosis, 'JobFailed')).toMatchObject({
      what: expect.stringMatching(
        /^BackoffLimitExceeded: Job has reached the specified backoff limit.*; 0 of 3 succeeded, 2 attempts failed$/,
      ) as string,
      since: phase.kind === 'finished' ? phase.at : undefined,
      remedy: expect.stringContaining('run what is left again: muster rerun work --wait') as string,
      details: { reason: 'BackoffLimitExceeded', failedAttempts: 2, succeeded: 0 },
    });
    expect(find(diagnosis, 'PodsFailed')).toMatchObject({
      what: 'exit code 1: 2 indexes (0,1); the log of index 0 ends with: KeyError: 7',
      remedy: 'Full log: muster logs work --index 0 --attempt 1',
      details: {
        reason: 'Error',
        exitCode: 1,
        verdict: 'failed: exit code 1',
        indexes: '0,1',
        log: ['Traceback (most recent call last):', 'KeyError: 7'],
      },
    });
  });

  test('without indexes, or if the manifest has to change, is run again whole', async () => {
    const remedyOf = async (w: Awaited<ReturnType<typeof aFailedJob>>) => find(await work(w), 'JobFailed').remedy;
    const whole = 'Then run it again: muster run -f FILE --replace --wait';
    expect(await remedyOf(await aFailedJob({ completionMode: 'NonIndexed' }))).toContain(whole);
    const w = await aFailedJob();
    const status = await w.stage.status(w.uid);
    if (!('verdict' in status.phase) || status.phase.verdict.kind !== 'failed') throw new Error('it has not failed');
    const verdict = { ...status.phase.verdict, reason: 'DeadlineExceeded' } as const;
    const next = { ...status, version: status.version + 1, phase: { ...status.phase, verdict } };
    expect(await w.stage.store.jobs.commitPass(w.uid, next, [])).toEqual({ kind: 'committed' });
    expect(await remedyOf(w)).toContain(whole);
  });

  test('is a warning while failures are retried', async () => {
    const w = await aFailedJob({ backoffLimit: 6 }, ['no']);
    expect(short(await work(w))).toContain('warning PodsFailed');
    expect(short(await work(w))).not.toContain('error JobFailed');
  });

  test('has no log of attempts that never started', async () => {
    const reason = 'CannotStartContainerError: python: command not found';
    const w = await aFailedJob({}, [], { cause: 'StartFailed', exitCode: null, container: null, reason });
    const found = find(await work(w), 'PodsFailed');
    expect(found.what).toContain('TaskFailedToStart: CannotStartContainerError: python: command not found');
    expect(found.remedy).toBe('Fix what is named: image, secret, or parameter.');
  });

  test('needs one log and few records, however many indexes failed alike', async () => {
    const w = await aFailedJob({ completions: 1_000, parallelism: 1_000, backoffLimit: 2_000 }, ['no']);
    let records = 0;
    const jobs = {
      ...w.deps.jobs,
      readAttempts: async (uid: JobUid, from: number, to: number) => {
        records += to - from + 1;
        return w.stage.store.jobs.readAttempts(uid, from, to);
      },
    };
    const doctor = createDoctor(
      { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: logOf(['no']) },
      { ...w.deps, jobs },
    );
    const diagnosis = await doctor.job('default', 'work');
    expect(find(diagnosis, 'PodsFailed').what).toMatch(/^exit code 1: 500 indexes/);
    expect(short(diagnosis)).toContain('info Sampled');
    expect(records).toBeLessThan(600);
    await work(w);
    expect(w.logReads()).toBe(1);
  });

  test('keeps its other findings if a log cannot be read', async () => {
    const w = await aFailedJob();
    const logs: LogReader = {
      ...NO_LOGS,
      readBack: async () => {
        throw new Error('throttled');
      },
    };
    const doctor = createDoctor({ deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs }, w.deps);
    const diagnosis = await doctor.job('default', 'work');
    expect(find(diagnosis, 'PodsFailed').remedy).toContain('could not be read: Error: throttled');
  });

  test('is a warning for a day among all Jobs, without reading its Pods', async () => {
    const w = await aFailedJob();
    const page = () => w.doctor.jobs({ namespace: null, after: null });
    expect((await page()).findings).toMatchObject([
      { severity: 'warning', kind: 'JobFailed', remedy: 'See why: muster doctor work' },
    ]);
    expect(w.logReads()).toBe(0);
    w.stage.advance(25 * 3_600_000);
    expect((await page()).findings.filter(({ kind }) => kind === 'JobFailed')).toEqual([]);
    expect(short(await work(w))).toContain('error JobFailed');
  });

  test('is a warning still where a Job repeats it under a name beyond a gap: only names without one are looked up', async () => {
    const w = await aFailedJob();
    w.stage.fate = { ...w.stage.fate, ending: DONE };
    const annotations = { 'muster.run/rerun-of': 'work' };
    for (const name of ['work-rerun-2', 'work-rerun']) {
      await w.stage.job({ uid: `uid-${name}`, completions: 3, backoffLimit: 0, name, annotations });
      for (let nth = 0; nth < 8; nth++) {
        w.stage.advance(1_000);
        await w.stage.settle();
      }
      const { findings } = await w.doctor.jobs({ namespace: null, after: null });
      expect(findings.map(({ kind }) => kind)).toEqual(name === 'work-rerun' ? [] : ['JobFailed']);
    }
  });

  test('is no warning any more once a rerun has completed it, and is again if that one has failed, too', async () => {
    const w = await aFailedJob();
    const warned = async () =>
      (await w.doctor.jobs({ namespace: null, after: null })).findings
        .filter(({ kind }) => kind === 'JobFailed')
        .map(({ subject }) => subject);
    const rerun = async (name: string, of: string | null, more: Record<string, string> = {}) => {
      const annotations = { ...(of === null ? {} : { 'muster.run/rerun-of': of }), ...more };
      await w.stage.job({ uid: `uid-${name}`, completions: 3, backoffLimit: 0, name, annotations });
      for (let nth = 0; nth < 8; nth++) {
        w.stage.advance(1_000);
        await w.stage.settle();
      }
    };
    await rerun('work-rerun', 'work');
    expect(await warned()).toEqual(['job/default/work', 'job/default/work-rerun']);
    w.stage.fate = { ...w.stage.fate, ending: DONE };
    await rerun('work-rerun-2', null);
    expect(await warned()).toEqual(['job/default/work', 'job/default/work-rerun']);
    await rerun('work-rerun-3', 'work', { 'muster.run/indexes': '1' });
    expect(await warned()).toEqual(['job/default/work', 'job/default/work-rerun']);
    await rerun('work-rerun-4', 'work-rerun');
    expect(await warned()).toEqual([]);
    expect(short(await work(w))).toContain('error JobFailed');
  });
});
