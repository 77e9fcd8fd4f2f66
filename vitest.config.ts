import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';

/** Room for what dies young: without it, a seventh of the unit tests is garbage collection. Threads take the flags of the runner. */
const ROOM = '--max-semi-space-size=64';
setFlagsFromString(ROOM);
const forks = { pool: 'forks' as const, execArgv: [ROOM] };

/** Code without processes or time: tests share a process, so that what one has loaded the next does not load again. */
const UNIT = ['control', 'domain', 'kube', 'schema', 'store'];

/**
 * Units that take 0.4 s of CPU time or more: a death at any call, the largest sizes, random cases, all small boards, and
 * whole conversations with the API. Without them `npm run test:unit` takes half the time; `npm test` runs all.
 */
const SLOW_UNITS = [
  'shared/capabilities/hostnames/test/control/{hosts-closing,hosts-crash}.test.ts',
  'test/control/lifecycle/{creation,namespaces,rerun}.test.ts',
  'test/control/process/{pacer,publisher}.test.ts',
  'test/control/reconcile/{announce,misconfigured}.test.ts',
  'test/control/upstreams/wake-ups.test.ts',
  'test/domain/lifecycle/races.test.ts',
  'test/domain/planner/{needed-is-enough,plan-job-at-scale,plan-job-properties}.test.ts',
  'test/domain/scoreboard/{golden-boards,journal}.test.ts',
  'test/kube/apply/{apply,apply-at-random}.test.ts',
  'test/kube/authorization/request-attributes.test.ts',
  'test/kube/bounds/nasty-requests.test.ts',
  'test/kube/discovery/discovery.test.ts',
  'test/kube/events/{events,watch-events}.test.ts',
  'test/kube/feed/watch-feed.test.ts',
  'test/kube/http/errors.test.ts',
  'test/kube/jobs/jobs.test.ts',
  'test/kube/list/{lists,newer-objects,watch,watch-modes,watch-shared}.test.ts',
  'test/kube/muster/attempts.test.ts',
  'test/kube/namespaces/namespaces.test.ts',
  'test/kube/patch/strategic-merge.test.ts',
  'test/kube/pods/{logs,pods,removed-pods}.test.ts',
  'test/kube/selectors/selectors.test.ts',
  'test/kube/write/{delete,object-size,patch,status}.test.ts',
  'test/schema/job/{job-admission-properties,kept-template}.test.ts',
  'test/schema/text/document.test.ts',
  'test/schema/pod/pod-fields.test.ts',
  'test/schema/protobuf/decode-protobuf.test.ts',
];

/**
 * The stages of `npm run verify` that run tests, each a project: what starts processes, waits by the real clock, opens ports of its
 * own choice, talks to clients and engines that others wrote, or takes long. A file that several patterns hold is in the first.
 */
const STAGES = {
  minutes: ['test/conformance/cronjobs.test.ts', 'test/smoke/embedded.test.ts'],
  engines: ['test/engines/**/*.test.ts', 'test/models/**/*.test.ts', 'test/e2e/rights.test.ts'],
  kubectl: [
    'test/{conformance,kubectl}/**/*.test.ts',
    'test/cli/access/users.test.ts',
    'test/e2e/{kubectl,success-policies}.test.ts',
    'test/kube/kubectl.test.ts',
    'test/kube/patch/kubectl-patch.test.ts',
  ],
  clients: ['test/clients/**/*.test.ts', 'test/token/clients.test.ts'],
  tools: ['test/tools/*.test.ts'],
  pages: ['test/{examples,pages}/**/*.test.ts'],
  page: ['test/page/*.test.ts'],
  attacks: ['test/attacks/*.test.ts'],
  containers: ['test/containers/*.test.ts'],
  crashes: ['test/upgrade/**/*.test.ts', 'test/e2e/crashes/*.test.ts'],
  faults: [
    'test/kube/fuzz/*.test.ts',
    'shared/capabilities/access/test/kube/any-policy.test.ts',
    'test/capabilities/tenants/many-attempts.test.ts',
    'test/contract/{dynamo-faults,object-bursts,planted-faults}.test.ts',
    'test/contract/rows/{damaged-pages,lmdb-rows,take-over-kills}.test.ts',
    'shared/capabilities/configs/test/leaks/planted-leaks.test.ts',
    'shared/capabilities/furiko/test/control/long-queue.test.ts',
    'test/dst/{determinism,feed}.test.ts',
    'test/ecs/planted-faults.test.ts',
    'test/ecs/volumes/files-script.test.ts',
    'test/queues/planted-*.test.ts',
    'test/toolchain/{command-lines,layers,lint,mutations,tools}.test.ts',
  ],
  e2e: [
    'test/e2e/**/*.test.ts',
    'shared/capabilities/*/test/e2e/**/*.test.ts',
    'test/asks/{launches,messages}.test.ts',
    'test/cli/{completion,kube-client,local}.test.ts',
    'test/dns/*.test.ts',
    'test/kube/list/watch-http.test.ts',
    'test/ecs/volumes/files-and-parts.test.ts',
    'test/ecs/{adoption,logs-contract,process-driver,secrets-and-volumes,stop-all,task-network,tasks-contract}.test.ts',
    'test/local/{audit-file,kept-front,listening,loaded-modules,schedule}.test.ts',
    'shared/capabilities/announcements/test/local/*.test.ts',
    'test/queues/{mapping,queues}.test.ts',
    'test/runtime/telemetry.test.ts',
    'test/smoke/ask-all.test.ts',
  ],
} satisfies Record<string, readonly string[]>;

/** The embedded runtime as AWS: each capability once more, with SDK clients and emulators instead of calls in one process. */
const AS_AWS = [
  'test/e2e/{jobs,pods,pairs}.test.ts',
  'shared/capabilities/worklists/test/e2e/work-lists.test.ts',
  'test/e2e/crashes/{kill,lossy-events}.test.ts',
  'test/e2e/diagnosis/causes.test.ts',
  'shared/capabilities/*/test/e2e/causes-found.test.ts',
  'shared/capabilities/hostnames/test/e2e/*.test.ts',
];

const names = Object.keys(STAGES) as (keyof typeof STAGES)[];
/** What stands in a stage before this one. */
const before = (name: keyof typeof STAGES): string[] =>
  names.slice(0, names.indexOf(name)).flatMap((each) => STAGES[each]);
const IN_STAGES = names.flatMap((name) => STAGES[name]);

/** What the gate runs. `calm.ts` refuses there what depends on time, load, ports, or neighbors; a run leaves no files behind. */
const CALM = { setupFiles: ['./test/calm/calm.ts'], globalSetup: './test/calm/temp-folder.ts' };
const unit = UNIT.map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    experimental: { fsModuleCache: true }, // by content: half of what a second run's imports take
    maxWorkers: 3, // some of them mostly wait
    // These only stop what hangs: a busy machine may take minutes for what takes seconds alone.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    reporters: ['./test/support/folder-reporter.ts'],
    silent: 'passed-only', // metrics and logs of passing tests are noise
    // What esbuild has bundled is loaded as Lambda loads it.
    server: { deps: { external: [/\/asset\.[0-9a-f]{64}\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: [...IN_STAGES, ...SLOW_UNITS],
          pool: 'threads',
          maxWorkers: 2, // a third would only load and compile the same modules once more
          sequence: { groupOrder: 1 }, // vitest asks for it where numbers of workers differ
          isolate: false,
          ...CALM,
        },
      },
      // Many files share a process: each stops what it starts.
      {
        extends: true,
        test: {
          name: 'integration',
          include: [`test/!(${UNIT.join('|')})/**/*.test.ts`, 'shared/capabilities/*/test/**/*.test.ts', ...SLOW_UNITS],
          exclude: IN_STAGES,
          ...forks,
          isolate: false,
          ...CALM,
        },
      },
      // Whole runtimes: what a file leaves of them ends with its process.
      ...names.map((name) => ({
        extends: true as const,
        test: {
          name,
          testTimeout: 1_800_000,
          include: STAGES[name],
          exclude: before(name),
          ...forks,
          // The files of this stage share the engines.
          ...(name === 'engines' ? { maxWorkers: 2, globalSetup: 'test/engines/setup.ts' } : {}),
        },
      })),
      {
        extends: true,
        test: { name: 'aws', include: AS_AWS, ...forks, env: { MUSTER_TEST_WIRING: 'emulateAws' } },
      },
    ],
  },
});
