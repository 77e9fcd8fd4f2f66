import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { PlantedTree } from './planted-tree.ts';

/** One forbidden import for every rule; some rules get two, where they say two things. */
const PLANTED = [
  // planted file                       what it imports                            rule that must answer
  ['shared/domain/planted-sdk.ts', '@aws-sdk/client-ecs', 'domain-knows-its-layer-only'],
  ['shared/domain/planted-sdk-too.ts', '@aws-sdk/client-ecs', 'sdk-in-adapters-and-wire-only'],
  ['shared/domain/planted-type.ts', '@aws-sdk/client-ecs', 'domain-knows-its-layer-only'],
  ['shared/domain/planted-disk.ts', 'node:fs', 'domain-knows-its-layer-only'],
  ['shared/domain/planted-zod.ts', 'zod', 'domain-knows-its-layer-only'],
  ['shared/domain/planted-up.ts', '../schema/planted-target.ts', 'domain-knows-its-layer-only'],
  ['shared/schema/planted.ts', '../ports/planted-target.ts', 'schema-knows-its-layer-only'],
  ['shared/names/planted.ts', '../ports/planted-target.ts', 'names-knows-its-layer-only'],
  ['shared/ports/planted.ts', '../control/planted-target.ts', 'ports-knows-its-layer-only'],
  ['shared/control/planted.ts', '../adapters/planted-target.ts', 'control-knows-its-layer-only'],
  ['shared/control/planted-timer.ts', 'node:timers/promises', 'control-knows-its-layer-only'],
  ['shared/kube/planted.ts', '../control/planted-target.ts', 'kube-knows-its-layer-only'],
  ['shared/adapters/planted.ts', '../control/planted-target.ts', 'adapters-meet-ports-only'],
  ['shared/adapters/memory/planted.ts', '@aws-sdk/client-ecs', 'sdk-in-adapters-and-wire-only'],
  ['shared/telemetry/planted.ts', '../control/planted-target.ts', 'telemetry-meets-names-only'],
  ['shared/rehearsal/planted.ts', '../adapters/aws/planted-target.ts', 'rehearsal-plays-in-memory'],
  ['shared/runtime/planted.ts', '../../local/planted-target.ts', 'runtime-wires-shared-only'],
  ['functions/one/planted.ts', '../other/handler.ts', 'functions-are-strangers'],
  ['local/planted-cli.ts', '../cli/planted-target.ts', 'local-runs-handlers-only'],
  ['local/planted-inside.ts', '../functions/other/planted-target.ts', 'local-runs-handlers-only'],
  ['local/ecs/planted.ts', '@aws-sdk/client-ecs', 'sdk-in-adapters-and-wire-only'],
  ['cli/planted.ts', '../shared/adapters/planted-target.ts', 'cli-starts-local-only'],
  ['dashboard/planted.ts', '../shared/ports/planted-target.ts', 'dashboard-shows-schema-only'],
  ['cdk/planted.ts', '../functions/other/handler.ts', 'infra-is-a-stranger'],
  ['shared/runtime/planted-test.ts', '../../test/planted-target.ts', 'nothing-needs-tests'],
  ['shared/runtime/planted-circle-back.ts', './planted-circle.ts', 'no-circles'],
  ['shared/runtime/planted-missing.ts', './not-there.ts', 'no-unknown-import'],
  ['shared/runtime/planted-undeclared.ts', 'picomatch', 'no-undeclared-package'],
  ['shared/runtime/planted-dev.ts', 'fast-check', 'shipped-code-needs-no-dev-package'],
  ['shared/runtime/planted-name.ts', './time-helpers.ts', 'no-name-for-leftovers'],
] as const;

/** Imports that look like the ones above and are allowed: a rule that forbids everything proves nothing. */
const ALLOWED = [
  ['shared/domain/allowed.ts', './planted-target.ts'],
  ['shared/schema/allowed.ts', 'zod'],
  ['shared/control/allowed.ts', '../ports/planted-target.ts'],
  ['shared/kube/allowed.ts', 'hono'],
  ['shared/adapters/aws/allowed.ts', '@aws-sdk/client-ecs'],
  ['shared/rehearsal/allowed.ts', '../adapters/memory/planted-target.ts'],
  ['local/wire/allowed.ts', '@aws-sdk/client-ecs'],
  ['local/allowed.ts', '../functions/other/handler.ts'],
  ['functions/other/allowed.ts', './handler.ts'],
  ['cli/allowed.ts', '../local/planted-target.ts'],
  ['cdk/allowed.ts', '../shared/names/planted-target.ts'],
  ['test/allowed.ts', '../shared/adapters/planted-target.ts'],
] as const;

const Cruise = z.object({
  summary: z.object({
    totalCruised: z.number(),
    totalDependenciesCruised: z.number(),
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

const Rules = z.object({ forbidden: z.array(z.object({ name: z.string() })) });

const trees: PlantedTree[] = [];
let exitCode: number;
let found: readonly string[];

beforeAll(async () => {
  const imports = [...PLANTED, ...ALLOWED].map(([from, to]) => ({ from, to }));
  const targets = imports
    .filter(({ to }) => to.startsWith('.') && !to.includes('not-there'))
    .map(({ from, to }) => ({ path: join(dirname(from), to), text: 'export const it = 1;\n' }));
  const sources = imports.map(({ from, to }) => ({ path: from, text: importing(to, from.includes('planted-type')) }));
  const circle = { path: 'shared/runtime/planted-circle.ts', text: importing('./planted-circle-back.ts', true) };
  const tree = await PlantedTree.with([...targets, ...sources, circle]);
  trees.push(tree);
  ({ exitCode } = await tree.run('depcruise', '.'));
  found = (await cruise(tree)).violations.map(({ from, rule }) => `${from}: ${rule.name}`);
});

afterAll(async () => {
  await Promise.all(trees.map(async (tree) => tree.remove()));
});

test('the check goes red', () => {
  expect(exitCode).toBeGreaterThan(0);
});

test.each(PLANTED)('%s may not import %s: %s', (from, _to, rule) => {
  expect(found).toContain(`${from}: ${rule}`);
});

test.each(ALLOWED)('%s may import %s', (from) => {
  expect(found.filter((violation) => violation.startsWith(`${from}:`))).toEqual([]);
});

test('every rule has a planted fault', () => {
  const { forbidden } = Rules.parse(createRequire(import.meta.url)('../../.dependency-cruiser.cjs'));
  const answered = new Set<string>(PLANTED.map(([, , rule]) => rule));
  expect(forbidden.filter(({ name }) => !answered.has(name))).toEqual([]);
});

test('in the real tree it sees the imports at all (under typescript 7 it would find none, and pass)', async () => {
  const tree = await PlantedTree.with([], ['shared']);
  trees.push(tree);
  const { totalCruised, totalDependenciesCruised } = await cruise(tree);
  expect(totalCruised).toBeGreaterThan(5);
  expect(totalDependenciesCruised).toBeGreaterThan(totalCruised / 2);
});

function importing(target: string, typesOnly: boolean): string {
  return `import ${typesOnly ? 'type ' : ''}* as it from '${target}';\nexport type It = typeof it;\n`;
}

async function cruise(tree: PlantedTree): Promise<z.output<typeof Cruise>['summary']> {
  const { output } = await tree.run('depcruise', '.', '--output-type', 'json');
  return Cruise.parse(JSON.parse(output)).summary;
}
