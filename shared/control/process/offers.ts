import { LAUNCH_NEEDS } from '../../capabilities/lists/dispatches.ts';
import type { Deps } from './deps.ts';
import type { Offers } from './launch-need.ts';

/** What this installation has for Jobs that ask for it. */
export const offersOf = (deps: Pick<Deps, 'ports' | 'settings'>): Offers =>
  LAUNCH_NEEDS.reduce<Offers>((offers, { offer }) => ({ ...offers, ...offer(deps) }), { hosts: null });
