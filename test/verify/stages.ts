/** What one stage runs, and what it shows. */
export type Stage = {
  readonly name: string;
  readonly shows: string;
  /** Words of a command. One with `vitest` gets a reporter that writes counts. */
  readonly command: readonly string[];
};

const vitest = (...words: string[]): readonly string[] => ['npx', 'vitest', 'run', ...words];
const project = (name: string): readonly string[] => vitest('--project', name);

/** `.ci/run`: what must hold before a change lands. Nothing here depends on time, load, ports, neighbors, or other programs. */
export const GATE: readonly Stage[] = [
  { name: 'check', shows: 'format, types, lint, layers, dead code', command: ['npm', 'run', 'check'] },
  { name: 'test', shows: '`npm test`', command: vitest('--project', 'unit', '--project', 'integration') },
  {
    name: 'seeds',
    shows: 'the simulation holds every guarantee in 100 worlds',
    command: ['npm', 'run', 'dst', '--', '--seeds', '100'],
  },
  { name: 'synth', shows: 'the template for AWS is made', command: ['npm', 'run', 'synth'] },
  { name: 'demo', shows: '64 real processes compute a picture', command: ['npm', 'run', 'demo'] },
];

/** `npm run verify`: everything else. */
export const VERIFY: readonly Stage[] = [
  {
    name: 'install',
    shows: 'clients and engines that others wrote are there',
    command: [
      'sh',
      '-c',
      '.ci/install-debian && .ci/install-engines && .ci/install-docker && .ci/install-tools && .ci/install-chromium',
    ],
  },
  {
    name: 'draws',
    shows: 'the tests of the gate, with all cases of random tests, drawn anew',
    command: vitest('--project', 'unit', '--project', 'integration'),
  },
  {
    name: 'calm',
    shows: 'the tests of the gate, twice at once, each process stopped now and then',
    command: ['npx', 'tsx', 'test/calm/main.ts'],
  },
  {
    name: 'e2e',
    shows: 'the embedded runtime, its processes, names, and queues, by the real clock',
    command: project('e2e'),
  },
  { name: 'kubectl', shows: "every kubectl, and Kubernetes' own end-to-end cases", command: project('kubectl') },
  { name: 'clients', shows: 'clients in Python, JavaScript, and Go; 10,000 indexes', command: project('clients') },
  { name: 'tools', shows: 'tools that others wrote, each as its page says', command: project('tools') },
  {
    name: 'page',
    shows: 'the page in a real browser: views, actions, colours, hostile texts',
    command: project('page'),
  },
  { name: 'pages', shows: 'every block of every page, and the examples', command: project('pages') },
  {
    name: 'containers',
    shows: 'tasks as containers: their fields, names, endings, and kills of runtime and engine; as root',
    command: project('containers'),
  },
  { name: 'crashes', shows: 'kills at any moment, full disks, upgrades', command: project('crashes') },
  {
    name: 'attacks',
    shows: 'other users at every port, loads at their limits, and an end within 5 s whatever runs; as root',
    command: project('attacks'),
  },
  {
    name: 'faults',
    shows: 'arbitrary requests, failing stores, and faults planted in adapters and tools',
    command: project('faults'),
  },
  { name: 'minutes', shows: 'schedules and idle watches by the real clock', command: project('minutes') },
  { name: 'aws', shows: 'the embedded runtime with SDK clients and emulators', command: project('aws') },
  {
    name: 'engines',
    shows: "engines that others wrote, AWS's service models, Lambda's Node",
    command: project('engines'),
  },
  {
    name: 'without',
    shows: 'everything else passes without any one capability',
    command: ['npm', 'run', 'test:without'],
  },
  {
    name: 'seeds500',
    shows: 'the simulation holds every guarantee in 500 more worlds',
    command: ['npm', 'run', 'dst', '--', '--seeds', '500', '--from', '100'],
  },
  { name: 'planted', shows: 'each planted fault turns a seed red', command: ['npm', 'run', 'test:planted'] },
];
