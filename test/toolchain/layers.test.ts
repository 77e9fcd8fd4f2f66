import { createRequire } from 'node:module';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { PlantedTree } from './planted-tree.ts';

const ROOT = resolve(import.meta.dirname, '../..');

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
  ['shared/store/planted.ts', '../control/planted-target.ts', 'store-knows-its-layer-only'],
  ['shared/store/planted-up.ts', '../kube/planted-target.ts', 'store-knows-its-layer-only'],
  ['shared/ports/planted-store.ts', '../store/planted-target.ts', 'ports-knows-its-layer-only'],
  ['shared/adapters/planted-store.ts', '../store/planted-target.ts', 'adapters-meet-ports-only'],
  ['shared/control/planted.ts', '../adapters/planted-target.ts', 'control-knows-its-layer-only'],
  ['shared/control/planted-timer.ts', 'node:timers/promises', 'control-knows-its-layer-only'],
  ['shared/kube/planted.ts', '../control/planted-target.ts', 'kube-knows-its-layer-only'],
  ['shared/adapters/planted.ts', '../control/planted-target.ts', 'adapters-meet-ports-only'],
  ['shared/adapters/memory/planted.ts', '@aws-sdk/client-ecs', 'sdk-in-adapters-and-wire-only'],
  ['shared/telemetry/planted.ts', '../control/planted-target.ts', 'telemetry-meets-names-only'],
  ['shared/control/planted-capability.ts', '../capabilities/one/index.ts', 'only-lists-know-capabilities'],
  ['shared/capabilities/lists/planted-list.ts', '../one/domain/planted-target.ts', 'lists-know-faces-only'],
  ['cli/program/planted-capability.ts', '../../shared/capabilities/one/cli/index.ts', 'only-lists-know-capabilities'],
  ['shared/runtime/planted-face.ts', '../capabilities/one/kube/index.ts', 'only-lists-know-capabilities'],
  ['shared/domain/planted-list.ts', '../capabilities/lists/planted-list.ts', 'domain-knows-its-layer-only'],
  ['shared/capabilities/lists/planted-commands.ts', '../one/cli/index.ts', 'functions-know-no-commands'],
  ['shared/runtime/planted-commands.ts', '../capabilities/lists/cli/commands.ts', 'functions-know-no-commands'],
  ['shared/runtime/planted-run-objects.ts', '../capabilities/lists/cli/run-objects.ts', 'functions-know-no-commands'],
  ['shared/capabilities/one/planted.ts', '../other/index.ts', 'capabilities-are-strangers'],
  ['shared/capabilities/one/kinds/planted.ts', '../domain/planted-target.ts', 'capability-kinds-knows-its-layer-only'],
  [
    'shared/capabilities/one/shapes/planted.ts',
    '../schema/planted-target.ts',
    'capability-shapes-knows-its-layer-only',
  ],
  ['shared/capabilities/one/store/planted.ts', '../control/planted-target.ts', 'capability-store-knows-its-layer-only'],
  [
    'shared/capabilities/one/client/planted.ts',
    '../../../../cli/commands/planted-target.ts',
    'capability-clients-are-clients',
  ],
  [
    'shared/capabilities/one/domain/planted.ts',
    '../../../ports/planted-target.ts',
    'capability-domain-knows-its-layer-only',
  ],
  [
    'shared/capabilities/one/domain/planted-up.ts',
    '../schema/planted-target.ts',
    'capability-domain-knows-its-layer-only',
  ],
  [
    'shared/capabilities/one/annotations/planted.ts',
    '../../../domain/manifests/planted-target.ts',
    'capability-annotations-knows-its-layer-only',
  ],
  [
    'shared/capabilities/one/schema/planted.ts',
    '../../../ports/planted-target.ts',
    'capability-schema-knows-its-layer-only',
  ],
  [
    'shared/capabilities/one/ports/planted.ts',
    '../../../control/planted-target.ts',
    'capability-ports-knows-its-layer-only',
  ],
  [
    'shared/capabilities/one/control/planted.ts',
    '../../../kube/planted-target.ts',
    'capability-control-knows-its-layer-only',
  ],
  [
    'shared/capabilities/one/control/planted-cli.ts',
    '../cli/planted-target.ts',
    'capability-control-knows-its-layer-only',
  ],
  ['shared/capabilities/one/kube/planted.ts', '../control/planted-target.ts', 'capability-kube-knows-its-layer-only'],
  ['shared/capabilities/one/kube/index.ts', '../cli/planted-target.ts', 'capability-faces-wire-their-own'],
  [
    'shared/capabilities/one/adapters/planted.ts',
    '../control/planted-target.ts',
    'capability-adapters-meet-ports-only',
  ],
  [
    'shared/capabilities/one/embedded/planted.ts',
    '../../../runtime/planted-target.ts',
    'capability-adapters-meet-ports-only',
  ],
  [
    'shared/capabilities/one/answers/planted.ts',
    '../../../store/planted-target.ts',
    'capability-adapters-meet-ports-only',
  ],
  [
    'shared/capabilities/one/local/planted.ts',
    '../../../../local/wire/planted-target.ts',
    'capability-local-parts-are-local',
  ],
  ['shared/capabilities/one/control/planted-sdk.ts', '@aws-sdk/client-ecs', 'sdk-in-adapters-and-wire-only'],
  [
    'shared/capabilities/one/world/planted.ts',
    '../../../adapters/aws/planted-target.ts',
    'capability-worlds-play-in-memory',
  ],
  [
    'shared/capabilities/one/cli/planted.ts',
    '../../../../cli/program/planted-target.ts',
    'capability-commands-are-commands',
  ],
  ['shared/runtime/planted.ts', '../../local/planted-target.ts', 'runtime-wires-shared-only'],
  ['functions/one/planted.ts', '../other/handler.ts', 'functions-are-strangers'],
  ['local/planted-cli.ts', '../cli/planted-target.ts', 'local-runs-handlers-only'],
  ['local/planted-inside.ts', '../functions/other/planted-target.ts', 'local-runs-handlers-only'],
  ['local/ecs/planted.ts', '@aws-sdk/client-ecs', 'sdk-in-adapters-and-wire-only'],
  ['cli/planted.ts', '../shared/adapters/planted-target.ts', 'cli-starts-local-only'],
  ['ui/planted.ts', '../shared/control/planted-target.ts', 'page-takes-what-computes'],
  ['ui/model/planted.ts', '../planted-target.ts', 'page-model-only-computes'],
  ['ui/parts/planted.ts', '../views/planted-target.ts', 'page-folders-have-an-order'],
  ['cdk/planted.ts', '../functions/other/handler.ts', 'infra-is-a-stranger'],
  ['shared/runtime/planted-test.ts', '../../test/planted-target.ts', 'nothing-needs-tests'],
  ['shared/runtime/planted-circle-back.ts', './planted-circle.ts', 'no-circles'],
  ['shared/runtime/planted-missing.ts', './not-there.ts', 'no-unknown-import'],
  ['shared/runtime/planted-undeclared.ts', 'picomatch', 'no-undeclared-package'],
  ['shared/runtime/planted-dev.ts', 'fast-check', 'shipped-code-needs-no-dev-package'],
  ['shared/runtime/planted-name.ts', './time-helpers.ts', 'no-name-for-leftovers'],
  // folders of one layer
  ['shared/domain/base/planted-beside.ts', '../manifests/planted-target.ts', 'domain-base-knows-its-folders-only'],
  [
    'shared/domain/schedulers/planted-beside.ts',
    '../task/planted-target.ts',
    'domain-schedulers-knows-its-folders-only',
  ],
  [
    'shared/control/schedulers/planted-beside.ts',
    '../sweep/planted-target.ts',
    'control-schedulers-knows-its-folders-only',
  ],
  ['shared/control/submit/planted-beside.ts', '../sweep/planted-target.ts', 'control-submit-knows-its-folders-only'],
  ['shared/domain/items/planted-beside.ts', '../task/planted-target.ts', 'domain-items-knows-its-folders-only'],
  ['shared/domain/manifests/planted-beside.ts', '../task/planted-target.ts', 'domain-manifests-knows-its-folders-only'],
  [
    'shared/domain/manifests/annotations/planted-beside.ts',
    '../planted-target.ts',
    'domain-manifests-annotations-knows-its-folders-only',
  ],
  ['shared/domain/task/planted-beside.ts', '../scoreboard/planted-target.ts', 'domain-task-knows-its-folders-only'],
  [
    'shared/domain/task/volumes/planted-beside.ts',
    '../../scoreboard/planted-target.ts',
    'domain-task-volumes-knows-its-folders-only',
  ],
  [
    'shared/domain/scoreboard/planted-beside.ts',
    '../planner/planted-target.ts',
    'domain-scoreboard-knows-its-folders-only',
  ],
  ['shared/domain/planner/planted-beside.ts', '../pending/planted-target.ts', 'domain-planner-knows-its-folders-only'],
  ['shared/domain/pending/planted-beside.ts', '../failures/planted-target.ts', 'domain-pending-knows-its-folders-only'],
  [
    'shared/domain/failures/planted-beside.ts',
    '../schedulers/planted-target.ts',
    'domain-failures-knows-its-folders-only',
  ],
  ['shared/domain/callers/planted-beside.ts', '../kinds/planted-target.ts', 'domain-callers-knows-its-folders-only'],
  ['shared/domain/token/planted-beside.ts', '../base/planted-target.ts', 'domain-token-knows-its-folders-only'],
  ['shared/domain/codecs/planted-beside.ts', '../planner/planted-target.ts', 'domain-codecs-knows-its-folders-only'],
  ['shared/domain/kinds/planted-beside.ts', '../base/planted-target.ts', 'domain-kinds-knows-its-folders-only'],
  ['shared/domain/events/planted-beside.ts', '../planner/planted-target.ts', 'domain-events-knows-its-folders-only'],
  [
    'shared/domain/upstreams/planted-beside.ts',
    '../planner/planted-target.ts',
    'domain-upstreams-knows-its-folders-only',
  ],
  ['shared/schema/kinds/planted-beside.ts', '../object/planted-target.ts', 'schema-kinds-knows-its-folders-only'],
  ['shared/schema/messages/planted-beside.ts', '../object/planted-target.ts', 'schema-messages-knows-its-folders-only'],
  ['shared/schema/object/planted-beside.ts', '../pod/planted-target.ts', 'schema-object-knows-its-folders-only'],
  ['shared/schema/items/planted-beside.ts', '../job/planted-target.ts', 'schema-items-knows-its-folders-only'],
  ['shared/schema/requests/planted-beside.ts', '../job/planted-target.ts', 'schema-requests-knows-its-folders-only'],
  ['shared/schema/protobuf/planted-beside.ts', '../job/planted-target.ts', 'schema-protobuf-knows-its-folders-only'],
  ['shared/schema/pod/planted-beside.ts', '../job/planted-target.ts', 'schema-pod-knows-its-folders-only'],
  ['shared/schema/job/planted-beside.ts', '../namespace/planted-target.ts', 'schema-job-knows-its-folders-only'],
  ['shared/schema/text/planted-beside.ts', '../job/planted-target.ts', 'schema-text-knows-its-folders-only'],
  [
    'shared/schema/pod-admission/planted-beside.ts',
    '../job/planted-target.ts',
    'schema-pod-admission-knows-its-folders-only',
  ],
  [
    'shared/schema/bare-pod/planted-beside.ts',
    '../namespace/planted-target.ts',
    'schema-bare-pod-knows-its-folders-only',
  ],
  ['shared/schema/service/planted-beside.ts', '../job/planted-target.ts', 'schema-service-knows-its-folders-only'],
  ['shared/schema/account/planted-beside.ts', '../job/planted-target.ts', 'schema-account-knows-its-folders-only'],
  [
    'shared/schema/namespace/planted-beside.ts',
    '../items/planted-target.ts',
    'schema-namespace-knows-its-folders-only',
  ],
  [
    'shared/schema/submission/planted-beside.ts',
    '../dump/planted-target.ts',
    'schema-submission-knows-its-folders-only',
  ],
  [
    'shared/control/process/planted-beside.ts',
    '../upstreams/planted-target.ts',
    'control-process-knows-its-folders-only',
  ],
  [
    'shared/control/upstreams/planted-beside.ts',
    '../lifecycle/planted-target.ts',
    'control-upstreams-knows-its-folders-only',
  ],
  [
    'shared/control/failures/planted-beside.ts',
    '../reconcile/planted-target.ts',
    'control-failures-knows-its-folders-only',
  ],
  ['shared/control/sweep/planted-beside.ts', '../dispatch/planted-target.ts', 'control-sweep-knows-its-folders-only'],
  [
    'shared/control/lifecycle/planted-beside.ts',
    '../reconcile/planted-target.ts',
    'control-lifecycle-knows-its-folders-only',
  ],
  [
    'shared/control/dispatch/planted-beside.ts',
    '../reconcile/planted-target.ts',
    'control-dispatch-knows-its-folders-only',
  ],
  [
    'shared/control/reconcile/planted-beside.ts',
    '../dispatch/planted-target.ts',
    'control-reconcile-knows-its-folders-only',
  ],
  ['shared/kube/feed/planted-beside.ts', '../http/planted-target.ts', 'kube-feed-knows-its-folders-only'],
  ['shared/kube/patch/planted-beside.ts', '../apply/planted-target.ts', 'kube-patch-knows-its-folders-only'],
  ['shared/kube/apply/planted-beside.ts', '../write/planted-target.ts', 'kube-apply-knows-its-folders-only'],
  ['shared/kube/http/planted-beside.ts', '../list/planted-target.ts', 'kube-http-knows-its-folders-only'],
  ['shared/kube/selectors/planted-beside.ts', '../list/planted-target.ts', 'kube-selectors-knows-its-folders-only'],
  [
    'shared/kube/authorization/planted-beside.ts',
    '../list/planted-target.ts',
    'kube-authorization-knows-its-folders-only',
  ],
  ['shared/kube/discovery/planted-beside.ts', '../openapi/planted-target.ts', 'kube-discovery-knows-its-folders-only'],
  ['shared/kube/openapi/planted-beside.ts', '../jobs/planted-target.ts', 'kube-openapi-knows-its-folders-only'],
  ['shared/kube/list/planted-beside.ts', '../jobs/planted-target.ts', 'kube-list-knows-its-folders-only'],
  ['shared/kube/write/planted-beside.ts', '../jobs/planted-target.ts', 'kube-write-knows-its-folders-only'],
  ['shared/kube/accounts/planted-beside.ts', '../namespaces/planted-target.ts', 'kube-accounts-knows-its-folders-only'],
  ['shared/kube/services/planted-beside.ts', '../namespaces/planted-target.ts', 'kube-services-knows-its-folders-only'],
  [
    'shared/kube/namespace-defaults/planted-beside.ts',
    '../namespaces/planted-target.ts',
    'kube-namespace-defaults-knows-its-folders-only',
  ],
  [
    'shared/kube/namespaces/planted-beside.ts',
    '../namespace-defaults/planted-target.ts',
    'kube-namespaces-knows-its-folders-only',
  ],
  ['shared/kube/jobs/planted-beside.ts', '../pods/planted-target.ts', 'kube-jobs-knows-its-folders-only'],
  ['shared/kube/pods/planted-beside.ts', '../events/planted-target.ts', 'kube-pods-knows-its-folders-only'],
  ['shared/kube/events/planted-beside.ts', '../muster/planted-target.ts', 'kube-events-knows-its-folders-only'],
  ['shared/kube/muster/planted-beside.ts', '../planted-target.ts', 'kube-muster-knows-its-folders-only'],
  ['shared/adapters/planted-beside.ts', './memory/planted-target.ts', 'adapters-knows-its-folders-only'],
  ['shared/adapters/aws/planted-beside.ts', './ecs/planted-target.ts', 'adapters-aws-knows-its-folders-only'],
  ['shared/adapters/aws/ecs/planted-beside.ts', '../sqs/planted-target.ts', 'adapters-aws-ecs-knows-its-folders-only'],
  [
    'shared/adapters/aws/sqs/planted-beside.ts',
    '../dynamodb/planted-target.ts',
    'adapters-aws-sqs-knows-its-folders-only',
  ],
  [
    'shared/adapters/aws/logs/planted-beside.ts',
    '../cloudmap/planted-target.ts',
    'adapters-aws-logs-knows-its-folders-only',
  ],
  [
    'shared/adapters/aws/cloudmap/planted-beside.ts',
    '../logs/planted-target.ts',
    'adapters-aws-cloudmap-knows-its-folders-only',
  ],
  ['shared/adapters/aws/sts/planted-beside.ts', '../sqs/planted-target.ts', 'adapters-aws-sts-knows-its-folders-only'],
  [
    'shared/adapters/aws/dynamodb/planted-beside.ts',
    '../sqs/planted-target.ts',
    'adapters-aws-dynamodb-knows-its-folders-only',
  ],
  [
    'shared/adapters/memory/planted-beside.ts',
    '../aws/dynamodb/planted-target.ts',
    'adapters-memory-knows-its-folders-only',
  ],
  ['shared/adapters/lmdb/planted-beside.ts', '../memory/planted-target.ts', 'adapters-lmdb-knows-its-folders-only'],
  ['shared/adapters/rows/planted-beside.ts', '../memory/planted-target.ts', 'adapters-rows-knows-its-folders-only'],
  ['shared/store/planted-beside.ts', './other/planted-target.ts', 'store-knows-its-folders-only'],
  ['shared/store/rows/planted-beside.ts', '../programs/planted-target.ts', 'store-rows-knows-its-folders-only'],
  ['shared/store/programs/planted-beside.ts', '../planted-target.ts', 'store-programs-knows-its-folders-only'],
  ['cli/text/planted-beside.ts', '../planted-target.ts', 'cli-text-knows-its-folders-only'],
  ['cli/shell/planted-beside.ts', '../planted-target.ts', 'cli-shell-knows-its-folders-only'],
  ['cli/client/planted-beside.ts', '../planted-target.ts', 'cli-client-knows-its-folders-only'],
  ['cli/completion/planted-beside.ts', '../planted-target.ts', 'cli-completion-knows-its-folders-only'],
  ['cli/create/planted-beside.ts', '../planted-target.ts', 'cli-create-knows-its-folders-only'],
  ['cli/submit/planted-beside.ts', '../planted-target.ts', 'cli-submit-knows-its-folders-only'],
  ['cli/results/planted-beside.ts', '../planted-target.ts', 'cli-results-knows-its-folders-only'],
  ['cli/logs/planted-beside.ts', '../planted-target.ts', 'cli-logs-knows-its-folders-only'],
  ['cli/render/planted-beside.ts', '../planted-target.ts', 'cli-render-knows-its-folders-only'],
  ['cli/flow/planted-beside.ts', '../planted-target.ts', 'cli-flow-knows-its-folders-only'],
  ['cli/index-control/planted-beside.ts', '../planted-target.ts', 'cli-index-control-knows-its-folders-only'],
  ['cli/rerun/planted-beside.ts', '../planted-target.ts', 'cli-rerun-knows-its-folders-only'],
  ['cli/follow/planted-beside.ts', '../planted-target.ts', 'cli-follow-knows-its-folders-only'],
  ['cli/run-line/planted-beside.ts', '../planted-target.ts', 'cli-run-line-knows-its-folders-only'],
  ['cli/commands/planted-beside.ts', '../planted-target.ts', 'cli-commands-knows-its-folders-only'],
  ['cli/program/planted-beside.ts', '../planted-target.ts', 'cli-program-knows-its-folders-only'],
  ['cli/planted-beside.ts', './render/planted-target.ts', 'cli-knows-its-folders-only'],
] as const;

/** Imports that look like the ones above and are allowed: a rule that forbids everything proves nothing. */
const ALLOWED = [
  ['shared/domain/allowed.ts', './planted-target.ts'],
  ['shared/schema/allowed.ts', 'zod'],
  ['shared/control/allowed.ts', '../ports/planted-target.ts'],
  ['shared/store/allowed.ts', '../ports/planted-target.ts'],
  ['shared/control/allowed-store.ts', '../store/planted-target.ts'],
  ['shared/kube/allowed-store.ts', '../store/planted-target.ts'],
  ['shared/kube/allowed.ts', 'hono'],
  ['shared/adapters/aws/allowed.ts', '@aws-sdk/client-ecs'],
  ['shared/capabilities/one/local/allowed.ts', '../../../../local/planted-target.ts'],
  ['shared/capabilities/one/adapters/allowed-sdk.ts', '@aws-sdk/client-ecs'],
  ['shared/capabilities/one/adapters/allowed.ts', '../../../adapters/aws/planted-target.ts'],
  ['shared/capabilities/one/embedded/allowed.ts', '../../../runtime/opened-ports.ts'],
  ['shared/capabilities/one/world/allowed.ts', '../../../adapters/memory/planted-target.ts'],
  ['shared/capabilities/one/test/allowed.ts', '../../../../test/planted-target.ts'],
  ['shared/capabilities/lists/cli/commands.ts', '../../one/cli/index.ts'],
  ['shared/capabilities/lists/allowed-list.ts', '../one/kube/index.ts'],
  ['shared/capabilities/one/kube/allowed.ts', 'hono'],
  ['shared/capabilities/one/control/allowed.ts', '../../lists/schedulers.ts'],
  ['shared/capabilities/one/cli/allowed.ts', '../../lists/cli/simulations.ts'],
  ['shared/capabilities/two/kube/index.ts', '../control/planted-target.ts'],
  ['shared/runtime/api.ts', '../capabilities/lists/allowed-list.ts'],
  ['shared/capabilities/one/test/allowed-sdk.ts', '@aws-sdk/client-ecs'],
  ['local/wire/allowed.ts', '@aws-sdk/client-ecs'],
  ['local/allowed.ts', '../functions/other/handler.ts'],
  ['functions/other/allowed.ts', './handler.ts'],
  ['cli/allowed.ts', '../local/planted-target.ts'],
  ['cdk/allowed.ts', '../shared/names/planted-target.ts'],
  ['test/allowed.ts', '../shared/adapters/planted-target.ts'],
  ['shared/domain/planner/allowed.ts', '../scoreboard/planted-target.ts'],
  ['shared/schema/namespace/allowed.ts', '../job/planted-target.ts'],
  ['shared/control/reconcile/allowed.ts', '../process/planted-target.ts'],
  ['shared/kube/kube-api.ts', './events/planted-target.ts'],
  ['shared/kube/events/allowed.ts', '../pods/planted-target.ts'],
  ['shared/adapters/aws/dynamodb/allowed.ts', '../planted-target.ts'],
  ['shared/adapters/rows/allowed.ts', '../../store/rows/planted-target.ts'],
] as const;

const Cruise = z.object({
  summary: z.object({
    totalCruised: z.number(),
    totalDependenciesCruised: z.number(),
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

const Rule = z.object({
  name: z.string(),
  from: z.object({ path: z.union([z.string(), z.array(z.string())]).optional() }),
});
const Rules = z.object({ forbidden: z.array(Rule) });

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

/** What puts the API together may import all of it. */
const PUT_TOGETHER = ['shared/kube/kube-api.ts', 'shared/kube/served-kinds.ts'];

test('every folder of a layer says what it may import', async () => {
  const froms = ruled().flatMap(({ name, from }) =>
    name.endsWith('-knows-its-folders-only') ? [from.path ?? []].flat() : [],
  );
  const layers = [...['domain', 'schema', 'control', 'kube', 'adapters'].map((layer) => `shared/${layer}`), 'cli'];
  const found = await Promise.all(
    layers.map(async (layer) => readdir(join(ROOT, layer), { recursive: true, withFileTypes: true })),
  );
  const files = found.flat().filter((each) => each.isFile());
  const paths = files.map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)));
  const free = paths.filter(
    (path) => !PUT_TOGETHER.includes(path) && !froms.some((from) => new RegExp(from).test(path)),
  );
  expect(free).toEqual([]);
  expect(paths.length).toBeGreaterThan(300);
});

test('every rule has a planted fault', () => {
  const forbidden = ruled();
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

function ruled(): readonly z.output<typeof Rule>[] {
  return Rules.parse(createRequire(import.meta.url)('../../.dependency-cruiser.cjs')).forbidden;
}

function importing(target: string, typesOnly: boolean): string {
  return `import ${typesOnly ? 'type ' : ''}* as it from '${target}';\nexport type It = typeof it;\n`;
}

async function cruise(tree: PlantedTree): Promise<z.output<typeof Cruise>['summary']> {
  const { output } = await tree.run('depcruise', '.', '--output-type', 'json');
  return Cruise.parse(JSON.parse(output)).summary;
}
