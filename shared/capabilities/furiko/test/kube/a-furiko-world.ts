import { asJobUid } from '../../../../domain/base/ids.ts';
import type { FurikoJobSpec, FurikoPart, Parallelism } from '../../domain/furiko-job.ts';
import { indexCount } from '../../domain/parallel-index.ts';
import { createJobCommands } from '../../../../control/lifecycle/job-changes.ts';
import type { Labels } from '../../../../domain/manifests/manifest.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import { START, type World } from '../../../../../test/kube/a-world.ts';

export const FURIKO = '/apis/execution.furiko.io/v1alpha1';
export const FURIKO_JOBS = `${FURIKO}/namespaces/default/jobs`;
export const CONFIGS = `${FURIKO}/namespaces/default/jobconfigs`;

export type FurikoWish = {
  readonly parallelism?: Omit<Parallelism, 'completionStrategy'> & Partial<Pick<Parallelism, 'completionStrategy'>>;
  readonly maxAttempts?: number;
  readonly labels?: Labels;
  readonly suspend?: boolean;
  readonly spec?: Partial<FurikoJobSpec>;
  readonly namespace?: string;
};

/** Stores a Furiko Job as if it had been admitted, beside the Job that runs it. */
export async function storeFurikoJob(world: World, name: string, wish: FurikoWish = {}): Promise<void> {
  const { parallelism, maxAttempts = 1, labels, suspend = false, namespace = 'default' } = wish;
  const block =
    parallelism === undefined ? {} : { parallelism: { completionStrategy: 'AllSuccessful' as const, ...parallelism } };
  const furiko: FurikoPart = {
    metadata: labels === undefined ? {} : { labels },
    spec: {
      type: 'Adhoc',
      template: {
        taskTemplate: { pod: { spec: { containers: [{ name: 'main', image: 'busybox' }] } } },
        ...block,
        maxAttempts,
      },
      ttlSecondsAfterFinished: 3600,
      ...wish.spec,
    },
    config: null,
  };
  const completions = indexCount(block.parallelism);
  const uid = asJobUid(`${name}-0000-4000-8000-000000000000`);
  const stored = aJob({ uid, name, namespace, createdAt: START, completions, parallelism: completions, suspend });
  const { metadata } = stored.manifest;
  const manifest = { ...stored.manifest, metadata: { ...metadata, ...(labels === undefined ? {} : { labels }) } };
  const created = await createJobCommands(world.deps).createJob({ ...stored, manifest, furiko });
  if (created.kind !== 'created') throw new Error(created.kind);
}

const taskTemplate = { pod: { spec: { containers: [{ name: 'main', image: 'busybox', command: ['true'] }] } } };

/** A Furiko Job as its users write it. */
export const aFurikoJob = (name: string, template: object = {}) => ({
  apiVersion: 'execution.furiko.io/v1alpha1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { taskTemplate, ...template } },
});

/** A JobConfig as its users write it. */
export const aConfig = (name: string, spec: object = {}, template: object = {}) => ({
  apiVersion: 'execution.furiko.io/v1alpha1',
  kind: 'JobConfig',
  metadata: { name },
  spec: { template: { spec: { taskTemplate }, ...template }, concurrency: { policy: 'Allow' }, ...spec },
});
