import { describe, expect, it } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import { admitBatchUpdateOfFuriko } from '../../schema/batch-update.ts';
import type { FurikoJobUpdate, StoredFurikoJob } from '../../schema/furiko-admission-context.ts';
import { admitFurikoJobUpdate, furikoDocumentOf } from '../../schema/furiko-job-update.ts';
import { documentOf } from '../../../../schema/job/job-update.ts';
import {
  CONFIG_UID,
  JOB_UID,
  admittedFuriko,
  furikoDocument,
  furikoFaults,
  jobOfConfig,
  namedConfig,
  pod,
} from '../furiko-document.ts';

const at = (time: string) => asEpochMs(Date.parse(time));
const NOW = at('2021-02-09T04:12:00Z');

type Fields = { readonly [field: string]: unknown };

/** JSON merge patch (RFC 7396). */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const out: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(out, key);
    else out[key] = merged(out[key], value);
  }
  return out;
}

const TEMPLATE = {
  parallelism: { withKeys: ['a', 'b'] },
  maxAttempts: 5,
  retryDelaySeconds: 60,
  taskPendingTimeoutSeconds: 1800,
};

function stored(
  document: unknown = furikoDocument(TEMPLATE),
  { started = false, config = null }: { started?: boolean; config?: ReturnType<typeof namedConfig> | null } = {},
): StoredFurikoJob {
  const { manifest, furiko } = admittedFuriko(document, { config });
  return { manifest, furiko, uid: JOB_UID, started, deleting: false };
}

const CONTEXT = { now: NOW, fieldValidation: 'Strict' } as const;
const patched = (job: StoredFurikoJob, patch: Fields, now = NOW) =>
  admitFurikoJobUpdate(job, merged(furikoDocumentOf(job), patch), { ...CONTEXT, now });
function batchPatched(job: StoredFurikoJob, patch: Fields): FurikoJobUpdate {
  const answer = admitBatchUpdateOfFuriko(job, merged(documentOf(job), patch), CONTEXT);
  if (answer === null) throw new Error("it is one of Furiko's");
  return answer;
}

function updated(job: StoredFurikoJob, patch: Fields, now = NOW) {
  const answer = patched(job, patch, now);
  if (answer.kind !== 'ok') throw new Error(furikoFaults(answer).join('\n'));
  return answer;
}

describe('an update of a Furiko Job', () => {
  it.each([
    stored(),
    stored(furikoDocument(TEMPLATE), { started: true }),
    stored(jobOfConfig(), { config: namedConfig() }),
  ])('changes nothing with the document itself', (job) => {
    expect(patched(job, {})).toEqual({
      kind: 'ok',
      manifest: job.manifest,
      furiko: job.furiko,
      changed: 'nothing',
      warnings: [],
    });
  });

  it('may leave out what has defaults, and send a status', () => {
    const { spec, ...document } = furikoDocument(TEMPLATE);
    expect(admitFurikoJobUpdate(stored(), { ...document, spec, status: { phase: 'Queued' } }, CONTEXT)).toMatchObject({
      changed: 'nothing',
    });
  });

  it('changes labels and annotations, and keeps those that run it', () => {
    const job = stored();
    const { manifest, furiko, changed } = updated(job, { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } });
    expect(changed).toBe('metadata');
    expect(furiko).toEqual({ ...job.furiko, metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } });
    expect(manifest.metadata).toEqual({
      ...job.manifest.metadata,
      labels: { a: 'b' },
      annotations: { ...job.manifest.metadata.annotations, c: 'd' },
    });
    expect(manifest.spec).toEqual(job.manifest.spec);
  });

  it('changes the ttl', () => {
    const { manifest, furiko, changed } = updated(stored(), { spec: { ttlSecondsAfterFinished: 5 } });
    expect([manifest.spec.ttlSecondsAfterFinished, furiko.spec.ttlSecondsAfterFinished, changed]).toEqual([
      5,
      5,
      'spec',
    ]);
  });

  it('changes forbidTaskForceDeletion', () => {
    const answer = updated(stored(), { spec: { template: { forbidTaskForceDeletion: false } } });
    expect(answer.furiko.spec.template.forbidTaskForceDeletion).toBe(false);
    expect(answer.changed).toBe('spec');
    expect(answer.warnings).toHaveLength(1);
  });

  it('keeps a parallelism that batch/v1 has changed', () => {
    const job = stored();
    const fewer = {
      ...job,
      manifest: { ...job.manifest, spec: { ...job.manifest.spec, parallelism: 1, suspend: true } },
    };
    expect(updated(fewer, { spec: { ttlSecondsAfterFinished: 5 } }).manifest.spec).toMatchObject({
      parallelism: 1,
      suspend: true,
    });
  });

  it.each<[string, Fields, string]>([
    ['configName', { configName: 'config' }, 'spec.configName: Invalid value: "config": field is immutable'],
    ['type', { type: 'Scheduled' }, 'spec.type: Invalid value: "Scheduled": field is immutable'],
    ['optionValues', { optionValues: 'a' }, 'spec.optionValues: Invalid value: "a": field is immutable'],
    [
      'substitutions',
      { substitutions: { a: 'b' } },
      'spec.substitutions: Invalid value: {"a":"b"}: field is immutable',
    ],
    [
      'taskTemplate',
      { template: { taskTemplate: { pod: pod({ image: 'other' }) } } },
      'spec.template.taskTemplate: Invalid value: {"pod":{"spec":{"containers":[{"name":"container","image":"other"}],"restartPolicy":"Never"}}}: spec.template.taskTemplate.pod.spec.containers[0].image differs; to run it, create another Job: field is immutable',
    ],
    [
      'parallelism',
      { template: { parallelism: { withKeys: ['a'] } } },
      'spec.template.parallelism: Invalid value: {"withKeys":["a"],"completionStrategy":"AllSuccessful"}: spec.template.parallelism.withKeys[1] differs; to run it, create another Job: field is immutable',
    ],
    [
      'maxAttempts',
      { template: { maxAttempts: 10 } },
      'spec.template.maxAttempts: Invalid value: 10: field is immutable',
    ],
    [
      'retryDelaySeconds',
      { template: { retryDelaySeconds: null } },
      'spec.template.retryDelaySeconds: Invalid value: 0: field is immutable',
    ],
    [
      'taskPendingTimeoutSeconds',
      { template: { taskPendingTimeoutSeconds: 3600 } },
      'spec.template.taskPendingTimeoutSeconds: Invalid value: 3600: field is immutable',
    ],
  ])('does not change %s', (_, spec, fault) => {
    expect(furikoFaults(patched(stored(), { spec }))).toEqual([fault]);
  });

  it('is checked as a new Job is', () => {
    expect(furikoFaults(patched(stored(), { spec: { ttlSecondsAfterFinished: -1 } }))).toEqual([
      'spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0',
    ]);
    expect(furikoFaults(patched(stored(), { metadata: { labels: { 'a b': 'c' } } }))).toHaveLength(1);
    expect(furikoFaults(patched(stored(), { metadata: { name: 'other' } }))).toEqual([
      'metadata.name: Invalid value: "other": field is immutable',
    ]);
    expect(furikoFaults(patched(stored(), { metadata: { annotations: { [ANNOTATIONS.killAt]: 'x' } } }))).toHaveLength(
      1,
    );
  });

  it('does not take a Job from its JobConfig', () => {
    const job = stored(jobOfConfig(), { config: namedConfig() });
    const labels = { 'execution.furiko.io/job-config-uid': 'abc' };
    expect(furikoFaults(patched(job, { metadata: { labels } }))).toEqual([
      'metadata.labels[execution.furiko.io/job-config-uid]: Invalid value: "abc": field is immutable',
    ]);
    expect(job.manifest.metadata.labels).toEqual({ 'execution.furiko.io/job-config-uid': CONFIG_UID });
  });
});

describe('the start policy', () => {
  const startPolicy = { concurrencyPolicy: 'Allow', startAfter: '2021-02-09T05:00:00Z' };

  it('may change before the start', () => {
    const { manifest, furiko } = updated(stored(), { spec: { startPolicy } });
    expect(furiko.spec.startPolicy).toEqual(startPolicy);
    expect(manifest.metadata.annotations?.[ANNOTATIONS.startAfter]).toBe(startPolicy.startAfter);
  });

  it('may not change after it', () => {
    const job = stored(furikoDocument(TEMPLATE), { started: true });
    expect(furikoFaults(patched(job, { spec: { startPolicy: { concurrencyPolicy: 'Allow' } } }))).toEqual([
      'spec.startPolicy: Invalid value: {"concurrencyPolicy":"Allow"}: cannot update startPolicy once Job is started',
    ]);
  });
});

describe('the kill time', () => {
  const withKill = (killTimestamp: string) => stored(furikoDocument(TEMPLATE, { killTimestamp }));
  const kill = (job: StoredFurikoJob, killTimestamp: string | null, now: string) =>
    patched(job, { spec: { killTimestamp } }, at(now));

  it.each<[string, StoredFurikoJob, string | null, string]>([
    ['be set', stored(), '2021-02-09T04:10:00Z', '2021-02-09T04:06:09Z'],
    ['be set in the past', stored(), '2021-02-09T04:10:00Z', '2021-02-09T04:12:00Z'],
    ['be put off', withKill('2021-02-09T04:10:00Z'), '2021-02-09T04:15:00Z', '2021-02-09T04:08:00Z'],
    ['be moved into the past', withKill('2021-02-09T04:10:00Z'), '2021-02-09T04:05:00Z', '2021-02-09T04:08:00Z'],
    ['be taken away', withKill('2021-02-09T04:10:00Z'), null, '2021-02-09T04:08:00Z'],
    ['stay, when it has passed', withKill('2021-02-09T04:10:00Z'), '2021-02-09T04:10:00Z', '2021-02-09T04:12:00Z'],
  ])('can %s', (_, job, killTimestamp, now) => {
    const answer = kill(job, killTimestamp, now);
    if (answer.kind !== 'ok') throw new Error(furikoFaults(answer).join('\n'));
    expect(answer.furiko.spec.killTimestamp).toBe(killTimestamp ?? undefined);
    expect(answer.manifest.metadata.annotations?.[ANNOTATIONS.killAt]).toBe(killTimestamp ?? undefined);
  });

  it.each(['2021-02-09T04:15:00Z', null])('cannot become %s when it has passed', (killTimestamp) => {
    expect(furikoFaults(kill(withKill('2021-02-09T04:10:00Z'), killTimestamp, '2021-02-09T04:12:00Z'))).toEqual([
      `spec.killTimestamp: Invalid value: ${JSON.stringify(killTimestamp)}: field is immutable once passed`,
    ]);
  });
});

const furikoOf = (answer: FurikoJobUpdate) => (answer.kind === 'ok' ? answer.furiko : null);

describe('an update through batch/v1', () => {
  it('changes nothing with the document itself', () => {
    const job = stored();
    expect(batchPatched(job, {})).toMatchObject({ manifest: job.manifest, furiko: job.furiko, changed: 'nothing' });
  });

  it('changes labels and annotations of both', () => {
    const job = stored(furikoDocument(TEMPLATE, {}, { labels: { a: 'b' }, annotations: { c: 'd' } }));
    const answer = batchPatched(job, { metadata: { labels: { a: 'x' }, annotations: { c: null, e: 'f' } } });
    expect(answer).toMatchObject({ kind: 'ok', changed: 'metadata' });
    expect(furikoOf(answer)).toEqual({ ...job.furiko, metadata: { labels: { a: 'x' }, annotations: { e: 'f' } } });
  });

  it('gives the Furiko Job none of the labels that batch/v1 shows of its template', () => {
    const answer = batchPatched(stored(), { metadata: { annotations: { e: 'f' } } });
    expect(furikoOf(answer)?.metadata).toEqual({ annotations: { e: 'f' } });
  });

  it('changes how many run at once', () => {
    const job = stored();
    const answer = batchPatched(job, { spec: { parallelism: 1 } });
    expect(answer).toMatchObject({
      kind: 'ok',
      changed: 'spec',
      furiko: job.furiko,
      manifest: { spec: { ...job.manifest.spec, parallelism: 1 } },
    });
  });

  it.each<[string, Fields, string]>([
    ['the suspension', { spec: { suspend: true } }, 'spec.suspend'],
    ['the ttl', { spec: { ttlSecondsAfterFinished: 1 } }, 'spec.ttlSecondsAfterFinished'],
    ['a deadline', { spec: { activeDeadlineSeconds: 1 } }, 'spec.activeDeadlineSeconds'],
    ['the number of failures', { spec: { maxFailedIndexes: 1 } }, 'spec.maxFailedIndexes'],
    [
      'the kill time',
      { metadata: { annotations: { [ANNOTATIONS.killAt]: '2031-02-09T04:10:00Z' } } },
      `metadata.annotations[${ANNOTATIONS.killAt}]`,
    ],
  ])('does not change %s', (_, patch, path) => {
    expect(furikoFaults(batchPatched(stored(), patch))).toEqual([
      `${path}: Forbidden: change it as jobs.execution.furiko.io`,
    ]);
  });

  it('does not take a Job from its JobConfig', () => {
    const job = stored(jobOfConfig(), { config: namedConfig() });
    const labels = { 'execution.furiko.io/job-config-uid': 'abc' };
    expect(furikoFaults(batchPatched(job, { metadata: { labels } }))).toHaveLength(1);
  });
});
