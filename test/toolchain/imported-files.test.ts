import { expect, test } from 'vitest';
import { importedFiles } from '../without/imported-files.ts';

test('imports of every form are found', () => {
  const source = `import { a } from './a.ts';
import type { B } from '../b.ts';
import {
  c,
  type D,
} from './c.ts';
import './d.ts';
import { expect } from 'vitest';
export { e } from './e.ts';
export * from './f.ts';
type G = import('./g.ts').G;
const h = async () => import('./h.ts');
`;
  const letters = ['./a.ts', '../b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts', './h.ts'];
  expect(importedFiles(source)).toEqual(letters);
});

test('what only looks like an import is none', () => {
  const source = [
    "import { a } from './a.ts';",
    "// import { b } from './b.ts';",
    "const LIST = `import { addPlan } from './plan/cli/index.ts';",
    "import { addSimulate } from './simulate/cli/index.ts';",
    '`;',
    'const FORM = /`/;',
    'const CODE = "import { One } from \'./m.ts\';";',
    "const SCRIPT = `import { t } from './t.ts'; ${a(`import('./u.ts')`)}`;",
  ].join('\n');
  expect(importedFiles(source)).toEqual(['./a.ts']);
});
