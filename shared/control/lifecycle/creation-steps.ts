import { LIMITING_STEPS, ROOM_STEPS, TAKING_STEPS } from '../../capabilities/lists/job-steps.ts';
import { pinnedBy } from '../../domain/manifests/annotations/lists.ts';
import type { JobManifest } from '../../domain/manifests/manifest.ts';
import { invalid } from '../../schema/object/field-error.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import { dependencyFaults } from '../upstreams/check-dependencies.ts';
import { forgetWaits, noteWaits } from '../upstreams/waiting-jobs.ts';
import { withInherited } from './rerun.ts';
import { checkItems, releaseItems, reserveItems } from './pinned-items.ts';
import { PASSED, type NotCreated, type Step } from './reserve-all.ts';

/** Read separately, not checked by the write, where all Jobs of a namespace would conflict with one another. */
const NAMESPACE: Step = {
  name: 'the namespace is open',
  async check({ spec }, deps) {
    const standing = await namespaceStanding(spec.identity.namespace, deps);
    return standing === 'open' ? PASSED : { kind: standing };
  },
};

const INHERITED: Step = {
  name: 'indexes that a rerun inherits',
  async check({ spec }, deps) {
    const inheriting = await withInherited(spec, deps);
    return inheriting.kind === 'ok' ? { ...PASSED, spec: inheriting.spec } : inheriting;
  },
};

const DEPENDENCIES: Step = {
  name: 'Jobs that it waits for',
  async check({ spec }, deps) {
    const errors = await dependencyFaults(spec, deps);
    return errors.length === 0 ? PASSED : { kind: 'invalid', errors };
  },
};

const ITEMS: Step = {
  name: 'pinned items',
  async check({ spec }, deps) {
    return (await checkItems(spec.manifest, deps)) ? PASSED : goneItems(spec.manifest);
  },
  async reserve({ spec: { manifest, identity } }, deps) {
    if (!(await reserveItems(manifest, identity.uid, deps))) return goneItems(manifest);
    return { kind: 'held', undo: async () => releaseItems(manifest, identity.uid, deps) };
  },
};

/** Between admission and now. */
function goneItems({ metadata }: JobManifest): NotCreated {
  const { key, names } = pinnedBy(metadata.annotations);
  return {
    kind: 'invalid',
    errors: [invalid(`metadata.annotations[${key}]`, undefined, `the ${names} has just been deleted`)],
  };
}

const WAITS: Step = {
  name: 'for whom it waits',
  check: async () => PASSED,
  async reserve({ spec }, deps) {
    await noteWaits(spec, deps);
    return { kind: 'held', undo: async () => forgetWaits(spec, deps) };
  },
};

/** The last: it stores the Job, and nothing can refuse it any more. */
const NAME: Step = {
  name: 'the name of the Job',
  async check({ spec: { identity } }, { jobs }) {
    return (await jobs.findJob(identity.namespace, identity.name)) === null ? PASSED : { kind: 'taken' };
  },
  async reserve({ spec, first }, { jobs }) {
    const { kind } = await jobs.createJob(spec, first().status);
    return kind === 'created' ? PASSED : { kind };
  },
};

/** All that decides whether a Job can be created, and all that it takes, in this order; the last step stores it. */
export const CREATION_STEPS: readonly Step[] = [
  NAMESPACE,
  INHERITED,
  ...LIMITING_STEPS,
  DEPENDENCIES,
  ...ROOM_STEPS,
  ...TAKING_STEPS,
  ITEMS,
  WAITS,
  NAME,
];
