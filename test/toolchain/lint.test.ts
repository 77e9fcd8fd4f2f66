import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { PlantedTree } from './planted-tree.ts';

const ANY = 'declare const any: ReturnType<typeof JSON.parse>;\n';
const WHY = 'declare const why: { readonly reason: string; readonly podMessage: string };\n';
const KIND = "declare const kind: 'a' | 'b';\n";

/** One violation for each rule that we rely on, where it must be found. */
const PLANTED = [
  // file                          source                                                       rule
  ['shared/kube/a.ts', 'async function go(): Promise<void> {}\ngo();', 'typescript(no-floating-promises)'],
  ['shared/kube/b.ts', '[1].forEach(async () => {});', 'typescript(no-misused-promises)'],
  ['shared/kube/c.ts', `${KIND}switch (kind) { case 'a': break; }`, 'typescript(switch-exhaustiveness-check)'],
  ['shared/kube/d.ts', `${ANY}export const one: number = any;`, 'typescript(no-unsafe-assignment)'],
  ['shared/kube/e.ts', `${ANY}export const one = Math.abs(any);`, 'typescript(no-unsafe-argument)'],
  ['shared/kube/f.ts', `${ANY}any();`, 'typescript(no-unsafe-call)'],
  ['shared/kube/g.ts', `${ANY}void any.name;`, 'typescript(no-unsafe-member-access)'],
  ['shared/kube/h.ts', `${ANY}export const get = (): number => any;`, 'typescript(no-unsafe-return)'],
  ['shared/kube/i.ts', 'export const one: any = 1;', 'typescript(no-explicit-any)'],
  [
    'shared/kube/j.ts',
    'declare const one: string | null;\nexport const two = one!;',
    'typescript(no-non-null-assertion)',
  ],
  ['shared/kube/k.ts', 'const one = 1;', 'eslint(no-unused-vars)'],
  ['shared/kube/l.ts', "import { One } from './m.ts';\nexport type Two = One;", 'typescript(consistent-type-imports)'],
  ['shared/kube/n.ts', 'let one = 1;\nexport const two = one;', 'eslint(prefer-const)'],
  ['shared/kube/o.ts', `${KIND}export const two = kind == 'a';`, 'eslint(eqeqeq)'],
  ['shared/kube/p.ts', `// ${'@ts-'}ignore\nexport const one = 1;`, 'typescript(ban-ts-comment)'],
  ['shared/kube/q.ts', "throw 'one';", 'typescript(only-throw-error)'],
  ['shared/kube/r.ts', "export const one = process.env['ONE'];", 'eslint(no-restricted-properties)'],
  ['shared/kube/s.ts', "import { env } from 'node:process';\nexport const one = env;", 'eslint(no-restricted-imports)'],
  ['shared/runtime/other.ts', "export const one = process.env['ONE'];", 'eslint(no-restricted-properties)'],
  ['shared/domain/a.ts', 'export const now = Date.now();', 'eslint(no-restricted-properties)'],
  ['shared/domain/b.ts', 'export const now = new Date();', 'muster(no-hidden-clock)'],
  ['shared/domain/c.ts', 'export const now = Date();', 'muster(no-hidden-clock)'],
  ['shared/domain/d.ts', 'export const chance = Math.random();', 'eslint(no-restricted-properties)'],
  ['shared/domain/e.ts', 'export const here = process.cwd();', 'eslint(no-restricted-globals)'],
  ['shared/domain/f.ts', 'setTimeout(() => {}, 1);', 'eslint(no-restricted-globals)'],
  ['shared/domain/g.ts', 'setInterval(() => {}, 1);', 'eslint(no-restricted-globals)'],
  ['shared/domain/h.ts', 'export const id = crypto.randomUUID();', 'eslint(no-restricted-globals)'],
  ['shared/domain/i.ts', 'export const now = globalThis.performance.now();', 'eslint(no-restricted-properties)'],
  ['shared/control/a.ts', 'export const now = Date.now();', 'eslint(no-restricted-properties)'],
  ['shared/control/b.ts', 'export const now = new Date();', 'muster(no-hidden-clock)'],
  ['shared/control/c.ts', 'setTimeout(() => {}, 1);', 'eslint(no-restricted-globals)'],
  ['shared/control/d.ts', "export const one = process.env['ONE'];", 'eslint(no-restricted-globals)'],
  ['shared/domain/k.ts', `${WHY}export const is = why.reason.startsWith('the Job');`, 'muster(no-read-sentence)'],
  ['shared/control/e.ts', `${WHY}export const is = (why.reason ?? '').includes('Job');`, 'muster(no-read-sentence)'],
  ['shared/store/a.ts', `${WHY}export const at = /; decided by (.*)/.exec(why.reason);`, 'muster(no-read-sentence)'],
  ['shared/kube/t.ts', `${WHY}export const is = /Job$/.test(why.podMessage);`, 'muster(no-read-sentence)'],
  ['cli/a.ts', `${WHY}export const is = why.reason?.endsWith('(late)');`, 'muster(no-read-sentence)'],
  ['test/a.test.ts', "import { test } from 'vitest';\ntest.only('one', () => {});", 'vitest(no-focused-tests)'],
] as const;

const ALLOWED = [
  ['shared/domain/y.ts', 'export const day = new Date(0).toISOString() + String(Math.max(1, Date.UTC(2020)));'],
  ['shared/runtime/options-from-env.ts', "export const one = process.env['ONE'];"],
  ['local/y.ts', "export const one = process.env['ONE'] ?? new Date();"],
  ['shared/kube/m.ts', 'export type One = 1;'],
  ['shared/domain/planner/ending.ts', `${WHY}export const is = why.reason.startsWith('ECS');`],
  ['shared/kube/u.ts', `${WHY}export const is = why.reason === 'NotFound' || why.reason.slice(1).includes('x');`],
  ['test/y.ts', 'declare const one: string | null;\nexport const two = one!;'],
] as const;

const Report = z.object({ diagnostics: z.array(z.object({ filename: z.string(), code: z.string() })) });

let tree: PlantedTree;
let exitCode: number;
let found: readonly string[];

beforeAll(async () => {
  tree = await PlantedTree.with([...PLANTED, ...ALLOWED].map(([path, text]) => ({ path, text: `${text}\n` })));
  const ran = await tree.run('oxlint', '--format', 'json');
  exitCode = ran.exitCode;
  found = Report.parse(JSON.parse(ran.output)).diagnostics.map(({ filename, code }) => `${filename}: ${code}`);
});

afterAll(async () => {
  await tree.remove();
});

test('the check goes red', () => {
  expect(exitCode).toBeGreaterThan(0);
});

test.each(PLANTED)('in %s: %s', (path, _text, rule) => {
  expect(found).toContain(`${path}: ${rule}`);
});

test.each(ALLOWED)('in %s, allowed: %s', (path) => {
  expect(found.filter((violation) => violation.startsWith(`${path}:`))).toEqual([]);
});
