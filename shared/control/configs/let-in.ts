import { asTime } from '../../domain/base/time.ts';
import type { ConfigPlace } from '../../domain/furiko/config-state.ts';
import { ANNOTATIONS } from '../../domain/spec/annotations.ts';
import { changeSpec } from '../lifecycle/job-changes.ts';
import type { Deps } from '../process/deps.ts';

/** Lets a Job start whose turn has come. One that may start already stays as it is. */
export async function letIn({ uid }: ConfigPlace, deps: Deps): Promise<void> {
  await changeSpec(
    uid,
    (spec) => {
      const { manifest } = spec;
      if (manifest.spec.suspend !== true) return null;
      return { ...spec, manifest: { ...manifest, spec: { ...manifest.spec, suspend: false } } };
    },
    deps,
  );
}

/** Ends a Job whose policy stood against its start when its time came: it says so, and is stopped before it begins. */
export async function turnAway({ uid }: ConfigPlace, config: string, deps: Deps): Promise<void> {
  const killAt = asTime(deps.clock.now());
  await changeSpec(
    uid,
    (spec) => {
      const { manifest, furiko } = spec;
      if (furiko === undefined || furiko.admissionError !== undefined) return null;
      const admissionError = `JobConfig ${config} had as many active Jobs as it allows when this one was to start`;
      const annotations = { ...manifest.metadata.annotations, [ANNOTATIONS.killAt]: killAt };
      const metadata = { ...manifest.metadata, annotations };
      return { ...spec, manifest: { ...manifest, metadata }, furiko: { ...furiko, admissionError } };
    },
    deps,
  );
}
