import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { SUBMITTED_FROM_LABEL } from '../../../shared/domain/manifests/annotations.ts';
import type { JobStore, StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Law } from './law.ts';
import { watchNewJobs } from './new-jobs.ts';

/** The variable by which a Job of a submission says which one it is. */
export const SOURCE_VARIABLE = 'SOURCE';

/** Looks at every Job that is made of a submission: each makes one (G19). */
export class SubmitWatch {
  readonly #made = new Map<string, JobUid>();
  readonly #known = new Set<string>();
  readonly #law: Law;

  constructor(law: Law) {
    this.#law = law;
  }

  /** The Job of a submission; null: it has none yet. */
  jobOf(source: string): JobUid | null {
    return this.#made.get(source) ?? null;
  }

  watchJobs(jobs: JobStore): JobStore {
    return watchNewJobs(jobs, this.#known, (spec) => this.#created(spec));
  }

  #created({ identity: { uid }, manifest: { metadata, spec } }: StoredSpec): void {
    if (metadata.labels?.[SUBMITTED_FROM_LABEL] === undefined) return;
    const variables = spec.template.spec.containers.flatMap(({ env = [] }) => env);
    const source = variables.find(({ name }) => name === SOURCE_VARIABLE)?.value ?? '';
    const before = this.#made.get(source);
    this.#law.of(uid)(
      before !== undefined,
      'G19',
      () => `the submission ${source} has the Job ${before}, and gets another`,
    );
    this.#made.set(source, uid);
  }

  /** Each message has come, in calm weather at last. */
  checkAll(sources: readonly string[]): void {
    for (const source of sources)
      this.#law.forbid(!this.#made.has(source), 'G19', () => `the submission ${source} has no Job`);
  }
}
