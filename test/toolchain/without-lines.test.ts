import { expect, test } from 'vitest';
import { withoutLines } from '../without/without-lines.ts';

const LIST = `import { addPlan } from './plan/cli/index.ts';
import { addSimulate } from './simulate/cli/index.ts';

export const COMMANDS = [addPlan, addSimulate];
`;

test('a list of capabilities loses one of them, and no other', () => {
  expect(withoutLines(LIST, 'plan')).toBe(`import { addSimulate } from './simulate/cli/index.ts';

export const COMMANDS = [addSimulate];
`);
  expect(withoutLines(LIST, 'simulate')).toBe(`import { addPlan } from './plan/cli/index.ts';

export const COMMANDS = [addPlan, ];
`);
  expect(withoutLines(LIST, 'other')).toBe(LIST);
});
