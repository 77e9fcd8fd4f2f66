import type { FirstOfChange } from '../../../control/lifecycle/change-steps.ts';
import { PASSED, type Step } from '../../../control/lifecycle/reserve-all.ts';
import { checkNames, reserveNames } from './hosts-reserve.ts';

/** A new Job has a name for each index. */
export const NAMES: Step = {
  name: 'names of tasks',
  async check({ spec }, deps) {
    return (await checkNames(spec, deps)) ?? PASSED;
  },
  async reserve({ spec }, deps) {
    const names = await reserveNames(spec, deps);
    if (names === null) return PASSED;
    if (names.kind === 'noHosts') return names;
    return { kind: 'held', undo: async () => deps.hosts.release(spec.identity.uid) };
  },
};

/** A Job that grows has a name for each index before it does. It keeps them, whatever comes of the change. */
export const namesOfChange: FirstOfChange = async (before, spec, deps) => {
  const isLarger = (spec.manifest.spec.completions ?? 0) > (before.manifest.spec.completions ?? 0);
  const names = isLarger ? await reserveNames(spec, deps) : null;
  return names?.kind === 'noHosts' ? names : null;
};
