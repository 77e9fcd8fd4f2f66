import { expect, test } from 'vitest';
import { withoutLines } from '../without/without-lines.ts';

const LIST = `import { addPlan } from '../plan/cli/index.ts';
import { addSimulate } from '../simulate/cli/index.ts';

export const COMMANDS = [addPlan, addSimulate];
`;

test('a list of capabilities loses one of them, and no other', () => {
  expect(withoutLines(LIST, 'plan')).toBe(`import { addSimulate } from '../simulate/cli/index.ts';

export const COMMANDS = [addSimulate];
`);
  expect(withoutLines(LIST, 'simulate')).toBe(`import { addPlan } from '../plan/cli/index.ts';

export const COMMANDS = [addPlan, ];
`);
  expect(withoutLines(LIST, 'other')).toBe(LIST);
});

test('a list of faces of another layer is left without any, and keeps what it imports from the kernel', () => {
  const list = `import type { MusterRoutes } from '../../runtime/registered.ts';
import { doctorRoutes } from '../doctor/kube/index.ts';

export const ROUTES: readonly MusterRoutes[] = [doctorRoutes];
`;
  expect(withoutLines(list, 'doctor')).toBe(`import type { MusterRoutes } from '../../runtime/registered.ts';

export const ROUTES: readonly MusterRoutes[] = [];
`);
});

const OBJECT = `import type { Kind } from '../../kube/kind.ts';
import { FURIKO_KINDS, jobKinds as furikoJobs } from '../furiko/kube/index.ts';
import {
  doctor,
  type Doctor,
} from '../doctor/control/index.ts';
import * as quotas from '../quotas/kube/index.ts';

export const KINDS: Record<string, Kind> = {
  ...FURIKO_KINDS,
  'furiko-jobs': furikoJobs('v1'),
  doctor: doctor,
  ...quotas.KINDS,
};
`;

test('a list may be an object with entries, spreads, and calls, and its imports may take several lines', () => {
  const without = ['furiko', 'doctor', 'quotas'].reduce(withoutLines, OBJECT);
  expect(without).toBe(`import type { Kind } from '../../kube/kind.ts';

export const KINDS: Record<string, Kind> = {
  };
`);
  const one = withoutLines(OBJECT, 'furiko');
  expect(one).not.toMatch(/furiko/i);
  expect(one).toContain('  doctor: doctor,\n  ...quotas.KINDS,\n');
});

test('a list may lie elsewhere, and import what is no face; what it imports from beside itself stays', () => {
  const list = `import { CONFIG_PLAY } from '../../shared/capabilities/furiko/test/dst/config-play.ts';
import { QUOTA_PLAY } from '../../shared/capabilities/quotas/test/dst/quota-play.ts';
import type { Play } from './play.ts';

export const PLAYS: readonly Play[] = [CONFIG_PLAY, QUOTA_PLAY];
`;
  expect(
    withoutLines(list, 'furiko'),
  ).toBe(`import { QUOTA_PLAY } from '../../shared/capabilities/quotas/test/dst/quota-play.ts';
import type { Play } from './play.ts';

export const PLAYS: readonly Play[] = [QUOTA_PLAY];
`);
});
