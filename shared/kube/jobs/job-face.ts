import type { Status } from '../../domain/scoreboard/status.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import type { Resource } from '../http/status-error.ts';
import { type JobView, type Reads, chunksForSummary } from './job-view.ts';
import { type JobObject, renderJob } from './render-job.ts';

/** A kind of the API that shows stored Jobs. Several kinds may show the same Job. */
export type JobFace<T extends KubeObject> = {
  readonly resource: Resource;
  readonly apiVersion: string;
  /** The chunks that it is shown from. */
  readonly chunks: (status: Status, spec: StoredSpec) => readonly number[];
  /** The Job as this kind shows it; null: it is none of this kind. */
  readonly render: (view: JobView, reads: Reads) => Promise<T | null>;
  /** The same, of a Job to which nothing has happened yet. */
  readonly renderNew: (view: JobView) => T;
  /** Whether it shows every stored Job. */
  readonly showsAll: boolean;
  /** Fields that a selector may name, beside name and namespace. */
  readonly fields: readonly string[];
  readonly fieldsOf: (object: T) => Readonly<Record<string, string>>;
  /** The message for other fields. */
  readonly refusal?: (field: string) => string;
};

/** `batch/v1`, which shows every Job. */
export const BATCH_FACE: JobFace<JobObject> = {
  resource: API_KINDS.Job,
  apiVersion: 'batch/v1',
  chunks: chunksForSummary,
  render: async (view) => renderJob(view),
  renderNew: renderJob,
  showsAll: true,
  fields: ['status.successful'],
  fieldsOf: ({ status }) => ({ 'status.successful': String(status.succeeded ?? 0) }),
  refusal: (field) => `field label ${JSON.stringify(field)} not supported for batchv1.Job`,
};
