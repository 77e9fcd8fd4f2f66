import { setFlagsFromString } from 'node:v8';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Room for what dies young: without it, a seventh of the unit tests is garbage collection. Threads take the flags of the runner. */
const ROOM = '--max-semi-space-size=64';
setFlagsFromString(ROOM);
const forks = { pool: 'forks' as const, execArgv: [ROOM] };

/** Code without processes or time: tests share a process, so that what one has loaded the next does not load again. */
const UNIT = ['control', 'domain', 'kube', 'schema', 'store'];

/** What stops what it starts: many files share a process, and load the code once. */
const INTEGRATION = [
  'test/{adapters,asks,bench,cdk,cli,cloudmap,contract,departures,dns,dst,examples,models}/**/*.test.ts',
  'test/{plan,proxy,queues,runtime,simulate,smoke,soak,token,toolchain}/**/*.test.ts',
];

/** Units that take about a second: a death at any call, the largest sizes, random cases, all small boards. */
const SLOW_UNITS = [
  'test/control/doctor/{failed-job,scheduled-check}.test.ts',
  'test/control/hostnames/hosts-crash.test.ts',
  'test/control/lifecycle/namespaces.test.ts',
  'test/control/process/publisher.test.ts',
  'test/control/quota/quota-at-random.test.ts',
  'test/control/upstreams/wake-ups.test.ts',
  'test/domain/planner/{needed-is-enough,plan-job-at-scale}.test.ts',
  'test/kube/authorization/request-attributes.test.ts',
  'test/kube/list/{watch-http,watch-shared}.test.ts',
  'test/kube/muster/named-items.test.ts',
  'test/kube/tenants/tenants.test.ts',
  'test/kube/write/object-size.test.ts',
  'test/schema/job/{job-admission-properties,kept-template}.test.ts',
  'test/schema/object/document.test.ts',
];

/** What takes long, or shows again what other tests show: in `npm run test:all`, and in CI. */
const LONG = [
  'test/{clients,conformance,kubectl,pages,rights,upgrade}/**/*.test.ts',
  'test/kube/fuzz/*.test.ts',
  'test/kube/reviews/any-policy.test.ts',
  'test/kube/tenants/many-attempts.test.ts',
  'test/contract/{dynamo-faults,planted-faults}.test.ts',
  'test/control/configs/long-queue.test.ts',
  'test/dst/{determinism,feed}.test.ts',
  'test/ecs/planted-faults.test.ts',
  'test/queues/planted-*.test.ts',
  'test/toolchain/{layers,lint,mutations}.test.ts',
  'test/e2e/bundles/bundled.test.ts',
  'test/e2e/crashes/{copied-folder,flow,full-disk,hard-starts,kill,kill-many,queued-configs}.test.ts',
  'test/e2e/diagnosis/{doctor,doctor-orphans,waits}.test.ts',
  'test/e2e/hostnames/{gangs,names}.test.ts',
  'test/e2e/{bad-messages,fair,object-bursts,rights}.test.ts',
];

/** What waits for minutes of the real clock, and does little else: CI runs it beside other steps. */
const MINUTES = ['test/conformance/cronjobs.test.ts', 'test/smoke/embedded.test.ts'];

/** The embedded runtime as AWS: each capability once more, with SDK clients and emulators instead of calls in one process. */
const AS_AWS = [
  'test/e2e/{jobs,pods,pairs,work-lists}.test.ts',
  'test/e2e/crashes/{kill,lossy-events}.test.ts',
  'test/e2e/diagnosis/causes.test.ts',
  'test/e2e/hostnames/*.test.ts',
];

/** Engines that others wrote, which `.ci/install-engines` installs. */
const ENGINES = 'test/engines/**/*.test.ts';

/** Every call that a function makes, against AWS's service models. */
const HELD_AGAINST_MODELS = ['test/e2e/rights.test.ts'];

/** Planted faults must turn tests red: they have a separate command. */
const ELSEWHERE = 'test/planted/**';

/** What waits for minutes begins first, beside what computes; the rest by project, the longest first. */
class MinutesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ project }: TestSpecification): number => (project.name === 'minutes' ? 0 : 1);
    return sorted.sort((a, b) => waits(a) - waits(b));
  }
}

/** Whatever runs kubectl starts processes. */
const unit = UNIT.map((folder) => `test/${folder}/**/!(kubectl*).test.ts`);

/** In mode `ci`, which runs all projects, nothing runs twice. */
export default defineConfig(({ mode }) => ({
  test: {
    experimental: { fsModuleCache: true }, // by content: half of what a second run's imports take
    sequence: { sequencer: MinutesFirst },
    maxWorkers: 3, // half of them mostly wait for processes, engines, and kubectl
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
        test: { name: 'unit', include: unit, exclude: [...LONG, ...SLOW_UNITS], pool: 'threads', isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [...INTEGRATION, ...SLOW_UNITS],
          exclude: [...LONG, ...MINUTES],
          ...forks,
          isolate: false,
        },
      },
      // Whole runtimes: what a file leaves of them ends with its process.
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: [...unit, ...INTEGRATION, ...LONG, ...MINUTES, ENGINES, ELSEWHERE],
          ...forks,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          testTimeout: 1_800_000,
          include: LONG,
          exclude: [...MINUTES, ...(mode === 'ci' ? HELD_AGAINST_MODELS : [])],
          ...forks,
        },
      },
      { extends: true, test: { name: 'minutes', include: MINUTES, ...forks } },
      {
        extends: true,
        test: { name: 'aws', include: AS_AWS, ...forks, env: { MUSTER_TEST_WIRING: 'emulateAws' } },
      },
      {
        extends: true,
        test: {
          name: 'engines',
          maxWorkers: 2, // its files share the engines
          include: [ENGINES, ...HELD_AGAINST_MODELS],
          ...forks,
          globalSetup: 'test/engines/setup.ts',
        },
      },
    ],
  },
}));
