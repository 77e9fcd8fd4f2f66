import { describe, expect, test } from 'vitest';
import { createDoctor } from '../control/create-doctor.ts';
import { deleteJob } from '../../../control/lifecycle/job-changes.ts';
import { asEpochMs, plusMs } from '../../../domain/base/time.ts';
import { asJobUid } from '../../../domain/base/ids.ts';
import { freshNamespace, terminating } from '../../../domain/manifests/namespace.ts';
import type { StoredDeadLetter, QueueDepth } from '../../../ports/dead-letters.ts';
import { openNamespace } from '../../../../test/support/a-namespace.ts';
import { NO_LOGS } from '../../../../test/support/no-logs.ts';
import { Stage } from '../../../../test/support/a-stage.ts';
import { MINUTE_MS, IDLE, examiner, aJobAtWork, short, find } from './examined-job.ts';

describe('the installation', () => {
  const ask = async (stage: Stage, depths: readonly QueueDepth[] = []) => examiner(stage, depths).doctor.installation();

  test('has no findings when it is idle or at work', async () => {
    expect(await ask(new Stage(), [IDLE])).toMatchObject({ findings: [], deadLetters: [] });
    const { stage } = await aJobAtWork();
    stage.advance(2 * MINUTE_MS);
    expect(short(await ask(stage, [{ ...IDLE, waiting: 900, hidden: 20 }]))).toEqual([]);
  });

  test('without a running sweep', async () => {
    const { stage } = await aJobAtWork();
    stage.advance(9 * MINUTE_MS); // its look-up is due after five
    expect(find(await ask(stage), 'AlarmOverdue')).toMatchObject({
      severity: 'error',
      subject: 'installation',
      what: 'due to be checked minutes ago, and were not: 1 Job (job/default/work)',
    });
    const shallow = await examiner(stage).doctor.jobs({ namespace: null, after: null });
    expect(find(shallow, 'AlarmOverdue').subject).toBe('job/default/work');
  });

  test('with full queues or dead letters', async () => {
    const full = await ask(new Stage(), [
      { ...IDLE, queue: 'dispatch', waiting: 1_001, hidden: 3, delayed: 4 },
      { ...IDLE, dead: 2 },
    ]);
    expect(full.findings.map(({ subject, what }) => `${subject}: ${what}`)).toEqual([
      'queue/dispatch: 1001 messages wait (3 are being processed, 4 are delayed)',
      'queue/facts: 2 dead letters to be filed',
    ]);
    const stage = new Stage();
    const deadLetter = (nth: number, change: Partial<StoredDeadLetter> = {}): StoredDeadLetter => ({
      queue: 'facts',
      id: `m${nth}`,
      body: 'b',
      reason: 'Error: boom',
      sentAt: plusMs(stage.time, -nth * MINUTE_MS),
      job: asJobUid('uid-1'),
      filedAt: stage.time,
      ...change,
    });
    const old = { queue: 'wake', job: null, sentAt: plusMs(stage.time, -48 * 60 * MINUTE_MS) } as const;
    const refused = { queue: 'submit', job: null, sentAt: plusMs(stage.time, -72 * 60 * MINUTE_MS) } as const;
    const letters = [deadLetter(1), deadLetter(2), deadLetter(3, old), deadLetter(4, refused)];
    await stage.store.deadLetters.file(letters, plusMs(stage.time, 1e9));
    const { findings, deadLetters } = await ask(stage);
    expect(findings).toMatchObject([
      { severity: 'warning', subject: 'queue/facts', since: plusMs(stage.time, -2 * MINUTE_MS) },
      {
        severity: 'info',
        subject: 'queue/wake',
        remedy: expect.stringContaining('Nothing has to be sent again') as string,
      },
      {
        severity: 'info',
        subject: 'queue/submit',
        remedy: expect.stringContaining('send again what was refused') as string,
      },
    ]);
    expect(findings[0]!.what).toMatch(
      /^2 messages about Job uid-1, moved to the dead-letter queue \(the last: .*\): Error: boom$/,
    );
    expect(deadLetters).toHaveLength(4);
  });

  test('with live tasks of finished or missing Jobs, or with deleted Jobs that do not stop', async () => {
    const w = await aJobAtWork();
    const { stage, uid } = w;
    const template = (await stage.store.jobs.readTemplates(uid))[0]!;
    const start = async (job: string, index: number) =>
      stage.tasks.run({
        job: { uid: asJobUid(job), namespace: 'default', name: job },
        id: { index, attempt: 1, nonce: 0 },
        template,
        env: [],
      });
    await start('ghost', 0);
    stage.advance(30_000);
    expect(short(await ask(stage))).toEqual([]);
    stage.advance(MINUTE_MS);
    expect(find(await ask(stage), 'StrangerTask')).toMatchObject({
      severity: 'warning',
      what: '1 live task of Jobs that do not exist: ghost',
    });
    stage.advance(3_700_000);
    await stage.settle(); // the Job is over, the orphan continues
    stage.fate = { ...stage.fate, runMs: 1e9 };
    await start(uid, 5);
    await start('ghost', 1);
    stage.advance(80 * MINUTE_MS);
    const late = await ask(stage);
    expect(
      late.findings.filter(({ kind }) => kind === 'StrangerTask').map(({ severity, what }) => [severity, what]),
    ).toEqual([
      ['error', '1 live task of Jobs that do not exist: ghost'],
      ['error', `1 live task of Jobs that are over: ${uid}`],
    ]);

    const other = new Stage();
    other.fate = { ...other.fate, stopMs: 1e9 };
    const deleted = await other.job({ completions: 2, parallelism: 2 });
    await other.settle();
    other.advance(2_000);
    await other.settle();
    await deleteJob(deleted, other.handler().deps);
    await other.settle();
    expect(short(await ask(other))).toEqual([]);
    other.advance(11 * MINUTE_MS);
    await other.settle();
    expect(find(await ask(other), 'DeletedJob')).toMatchObject({
      subject: 'job/default/work',
      what: 'deleted, and not stopped yet: 2 attempts',
    });
  });

  test('with namespaces that stay Terminating', async () => {
    const stage = new Stage();
    await stage.job({ namespace: 'team', finalizers: ['example.com/archive'] });
    await openNamespace(stage.store.objects, 'team');
    await stage.store.objects.commit('Namespace', {
      key: { namespace: '', name: 'team' },
      was: 1,
      document: terminating(freshNamespace('team', 'u', stage.time), stage.time),
    });
    expect(find(await ask(stage), 'NamespaceTerminating')).toMatchObject({
      severity: 'info',
      subject: 'namespace/team',
      what: 'it is being deleted, and is held by 1 Job',
      since: stage.time,
    });
    stage.advance(6 * MINUTE_MS);
    expect(find(await ask(stage), 'NamespaceTerminating').severity).toBe('warning');
  });

  test('with throttled launches', async () => {
    const stage = new Stage();
    const { deps } = examiner(stage);
    const settings = { ...deps.settings, launchesPerSec: 20 };
    const doctor = createDoctor(
      { deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...deps, settings },
    );
    expect(short(await doctor.installation())).toEqual([]);
    await stage.store.limits.commit('launch', 0, {
      nextFreeAt: asEpochMs(0),
      cut: { share: 0.25, at: stage.time },
      recent: null,
    });
    expect(find(await doctor.installation(), 'LaunchesCut').what).toBe(
      'ECS throttles RunTask: 5.0 of 20 launches per second are granted',
    );
  });

  test('with containers that nobody needs', async () => {
    const stage = new Stage();
    const containers = ['muster-1-main', 'muster-2-main', 'muster-3-main', 'muster-4-main'];
    const found = [
      { installation: '0123456789ab', goneFolder: null, containers: ['muster-5-main'] },
      { installation: 'ba9876543210', goneFolder: '/home/kim/.muster', containers },
    ];
    const doctor = createDoctor(
      {
        deadLetters: stage.store.deadLetters,
        queueDepths: async () => [],
        logs: NO_LOGS,
        engineLeftovers: async () => found,
      },
      examiner(stage).deps,
    );
    const { findings } = await doctor.installation();
    expect(findings.map(({ severity, kind, what }) => `${severity} ${kind}: ${what}`)).toEqual([
      'warning EngineLeftovers: 1 container that no task needs: muster-5-main',
      'warning EngineLeftovers: 4 containers of a Muster whose data folder /home/kim/.muster is gone: muster-1-main, muster-2-main, muster-3-main, …',
    ]);
    expect(findings[1]?.remedy).toMatch(
      /label=muster\.run\/installation=ba9876543210 .*docker network rm muster-ba9876543210$/,
    );
  });
});
