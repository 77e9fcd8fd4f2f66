// Who may import whom. Every rule is an error; test/toolchain plants one violation of each and demands that it is found.
// Needs the TypeScript 6 compiler: under typescript 7 dependency-cruiser finds no imports at all and passes everything.

const OURS = '^(shared|functions|cdk|local|cli|test|ui)/';
const TESTS = ['^test/', '^shared/capabilities/(?!lists/)[^/]+/test/'];
const SDK = '(^|/)node_modules/(@aws-sdk|@smithy|@aws-crypto)/';
const LEFTOVERS = ['util', 'helper', 'manager', 'common', 'misc', 'type', 'service'];
const npm = (...names) => names.map((name) => `(^|/)node_modules/${name}/`);
const shared = (...folders) => folders.map((folder) => `^shared/${folder}/`);

/** The lists of what capabilities have for a layer: each takes the faces that capabilities have for it. */
const LISTS = {
  domain: ['annotation-rows', 'kind-rows'],
  schema: ['job-templates', 'order-forms', 'shapes'],
  store: ['item-sources', 'stored'],
  control: [
    'after-passes',
    'config-readers',
    'deletions',
    'dispatches',
    'job-steps',
    'job-templates',
    'parts',
    'schedulers',
  ],
  kube: ['job-forms', 'job-templates', 'parts', 'served'],
};
const listsOf = (...layers) =>
  layers.flatMap((layer) => LISTS[layer] ?? []).map((list) => `^shared/capabilities/lists/${list}\\.ts$`);

/** A layer that imports its own folder, the shared folders named, its lists, the packages named, and nothing else at all. */
const only = (folder, folders, packages = []) => ({
  name: `${folder}-knows-its-layer-only`,
  severity: 'error',
  from: { path: `^shared/${folder}/` },
  to: { pathNot: [...shared(folder, ...folders), ...listsOf(folder), ...npm(...packages)] },
});

/** A layer inside a capability: its own layers and the kernel's below it, the kernel's lists, the packages named, and nothing else at all. */
const inCapability = (layer, own, folders, packages = [], files = '') => ({
  name: `capability-${layer}-knows-its-layer-only`,
  severity: 'error',
  from: { path: `^shared/capabilities/(?!lists/)([^/]+)/${layer}/${files}` },
  to: {
    pathNot: [
      `^shared/capabilities/$1/(${own.join('|')})/`,
      ...shared(...folders),
      ...listsOf(layer),
      ...npm(...packages),
    ],
  },
});

/** A folder that may use node and any package, but of our code only what is listed. */
const ofOurs = (name, folder, allowed) => ({
  name,
  severity: 'error',
  from: { path: folder },
  to: { path: OURS, pathNot: allowed },
});

// Inside a layer folders have an order, too: each may import itself and those named, which lie below it, and nothing else of its
// layer. Who may import a folder may import those inside it that it imports itself: they are its parts. '.' are the files that lie
// in the layer's own folder. Only kube-api.ts and served-kinds.ts, which put the API together, may import
// everything.
const FOLDERS = {
  domain: {
    base: [],
    kinds: [],
    callers: [],
    'manifests/annotations': ['base'],
    manifests: ['base', 'kinds', 'manifests/annotations'],
    items: ['base', 'manifests'],
    task: ['base', 'manifests', 'items', 'task/volumes'],
    'task/volumes': ['base', 'manifests', 'items', 'task'],
    schedulers: ['base', 'kinds', 'manifests'],
    scoreboard: ['base', 'manifests'],
    codecs: ['base', 'manifests', 'scoreboard'],
    upstreams: ['base', 'manifests', 'scoreboard'],
    events: ['base', 'manifests', 'task', 'scoreboard'],
    planner: ['base', 'manifests', 'task', 'scoreboard', 'events', 'upstreams'],
    pending: ['base', 'manifests', 'task', 'scoreboard', 'upstreams', 'planner'],
    failures: ['base', 'scoreboard', 'planner'],
    token: ['callers'],
  },
  schema: {
    kinds: [],
    messages: [],
    object: ['kinds'],
    text: ['object'],
    items: ['object', 'text'],
    requests: ['object'],
    protobuf: ['kinds', 'object', 'text'],
    pod: ['object', 'items'],
    'pod-admission': ['object', 'items', 'pod'],
    job: ['object', 'text', 'items', 'pod', 'pod-admission'],
    'bare-pod': ['object', 'pod', 'pod-admission', 'job'],
    namespace: ['object', 'job'],
    service: ['kinds', 'object'],
    account: ['object'],
    submission: ['object', 'text', 'items', 'job'],
  },
  control: {
    process: [],
    failures: ['process'],
    sweep: ['process'],
    upstreams: ['process'],
    lifecycle: ['process', 'upstreams'],
    schedulers: ['process', 'lifecycle'],
    submit: ['process', 'lifecycle'],
    dispatch: ['process', 'sweep'],
    reconcile: ['process', 'lifecycle', 'upstreams'],
  },
  kube: {
    feed: [],
    patch: [],
    apply: ['patch'],
    http: ['feed', 'patch'],
    selectors: ['http'],
    authorization: ['http', 'selectors'],
    discovery: ['http'],
    openapi: ['http', 'discovery'],
    list: ['http', 'feed', 'selectors'],
    write: ['http', 'list', 'patch', 'apply'],
    services: ['http', 'list', 'write'],
    accounts: ['http', 'list', 'write'],
    'namespace-defaults': ['http', 'feed', 'list', 'selectors'],
    namespaces: ['http', 'list', 'write'],
    jobs: ['http', 'feed', 'list', 'selectors', 'write'],
    pods: ['http', 'feed', 'list', 'selectors', 'write', 'jobs'],
    events: ['http', 'feed', 'list', 'selectors', 'jobs', 'pods'],
    muster: ['http', 'list', 'jobs', 'pods', 'write'],
  },
  store: {
    '.': ['rows', 'programs'],
    rows: [],
    programs: ['rows'],
  },
  adapters: {
    '.': [],
    aws: [],
    'aws/ecs': ['aws'],
    'aws/sqs': ['.', 'aws'],
    'aws/logs': ['aws', 'aws/ecs'],
    'aws/cloudmap': ['aws'],
    'aws/dynamodb': ['aws'],
    'aws/sts': ['aws'],
    memory: ['.'],
    lmdb: [],
    rows: ['lmdb'],
  },
  cli: {
    '.': ['shell', 'program'],
    text: [],
    shell: ['text'],
    client: ['text', 'shell'],
    completion: ['shell', 'client'],
    create: ['text', 'shell', 'client'],
    submit: ['shell', 'client'],
    results: ['shell', 'client'],
    logs: ['shell', 'client'],
    render: ['text', 'shell', 'client'],
    flow: ['text', 'shell', 'client', 'render'],
    'index-control': ['shell', 'client', 'logs', 'render'],
    rerun: ['shell', 'client'],
    follow: ['text', 'shell', 'client', 'render'],
    'run-line': ['text', 'shell', 'client', 'follow'],
    commands: ['text', 'shell', 'client', 'create', 'flow', 'follow', 'logs', 'render', 'rerun', 'results', 'run-line'],
    program: ['text', 'shell', 'client', 'completion', 'submit', 'index-control', 'render', 'run-line', 'commands'],
  },
};

/** The layers' own folders. */
const rootOf = (layer) => (layer === 'cli' ? 'cli' : `shared/${layer}`);

/** The files of a folder, without those of the folders in it. */
const flat = (layer, folder) => `^${rootOf(layer)}/${folder === '.' ? '' : `${folder}/`}[^/]+$`;

/** A folder, and its parts. */
const whole = (folders, folder) => [folder, ...folders[folder].filter((each) => each.startsWith(`${folder}/`))];

const folderRules = Object.entries(FOLDERS).flatMap(([layer, folders]) =>
  Object.entries(folders).map(([folder, below]) => ({
    name: `${[layer, ...folder.split('/')].filter((part) => part !== '.').join('-')}-knows-its-folders-only`,
    severity: 'error',
    from: { path: flat(layer, folder) },
    to: {
      path: `^${rootOf(layer)}/`,
      pathNot: [folder, ...below].flatMap((each) => whole(folders, each)).map((each) => flat(layer, each)),
    },
  })),
);

module.exports = {
  forbidden: [
    // The core: not even node's own modules, for they hold clocks, randomness and the disk.
    only('domain', []),
    only('schema', ['domain'], ['zod', 'yaml', 'csv-parse', 'moment', '@bufbuild/protobuf']),
    only('names', ['domain']),
    only('ports', ['domain', 'schema', 'names']),
    only('store', ['domain', 'schema', 'ports', 'names'], ['zod']),
    only('control', ['domain', 'schema', 'ports', 'names', 'store']),
    only('kube', ['domain', 'schema', 'ports', 'names', 'store'], ['hono', 'rfc6902']),

    ...folderRules,

    // The shell: node and packages are free, our own folders are not.
    ofOurs(
      'adapters-meet-ports-only',
      '^shared/adapters/',
      shared('adapters', 'domain', 'schema', 'ports', 'names', 'store/rows'),
    ),
    ofOurs(
      'telemetry-meets-names-only',
      '^shared/telemetry/',
      shared('telemetry', 'domain', 'schema', 'ports', 'names'),
    ),
    // A capability is a folder: layers inside, each with a face (`index.ts`) that lists take.
    {
      name: 'only-lists-know-capabilities',
      severity: 'error',
      from: { path: OURS, pathNot: ['^shared/capabilities/', '^test/'] },
      to: { path: '^shared/capabilities/(?!lists/)[^/]+/' },
    },
    {
      name: 'lists-know-faces-only',
      severity: 'error',
      from: { path: '^shared/capabilities/lists/' },
      to: {
        path: '^shared/capabilities/(?!lists/)[^/]+/',
        pathNot: '^shared/capabilities/(?!lists/)[^/]+/[^/]+/index\\.ts$',
      },
    },
    {
      // What functions are bundled from must not bring the command line with it.
      name: 'functions-know-no-commands',
      severity: 'error',
      from: {
        path: ['^shared/runtime/', '^shared/capabilities/lists/(?!cli/)'],
      },
      to: {
        path: ['^shared/capabilities/lists/cli/', '^shared/capabilities/(?!lists/)[^/]+/(cli|client)/'],
      },
    },
    {
      name: 'capabilities-are-strangers',
      severity: 'error',
      from: { path: '^shared/capabilities/(?!lists/)([^/]+)/' },
      to: { path: '^shared/capabilities/(?!lists/)[^/]+/', pathNot: '^shared/capabilities/$1/' },
    },
    inCapability('kinds', ['kinds'], ['domain/kinds']),
    inCapability('shapes', ['annotations', 'shapes'], ['schema/kinds']),
    inCapability('annotations', ['annotations'], ['domain/base', 'domain/manifests/annotations']),
    inCapability('domain', ['kinds', 'annotations', 'domain'], ['domain']),
    inCapability(
      'schema',
      ['kinds', 'annotations', 'domain', 'schema'],
      ['domain', 'schema'],
      ['zod', 'yaml', 'moment'],
    ),
    inCapability('ports', ['kinds', 'domain', 'schema', 'ports'], ['domain', 'schema', 'ports']),
    inCapability(
      'store',
      ['kinds', 'annotations', 'domain', 'schema', 'ports', 'store'],
      ['domain', 'ports', 'store'],
      ['zod'],
    ),
    inCapability(
      'control',
      ['kinds', 'annotations', 'domain', 'schema', 'ports', 'store', 'control'],
      ['domain', 'schema', 'ports', 'names', 'store', 'control'],
    ),
    // A face puts its capability together, so that of `kube` may take what answers from `control`.
    inCapability(
      'kube',
      ['kinds', 'annotations', 'domain', 'schema', 'ports', 'store', 'kube'],
      ['domain', 'schema', 'ports', 'names', 'store', 'kube'],
      ['hono', 'rfc6902'],
      '(?!index\\.ts$)',
    ),
    ofOurs('capability-faces-wire-their-own', '^shared/capabilities/(?!lists/)([^/]+)/kube/index\\.ts$', [
      '^shared/capabilities/$1/(kinds|domain|schema|ports|store|control|kube)/',
      ...shared('domain', 'schema', 'ports', 'names', 'store', 'control', 'kube'),
    ]),
    // What opens or makes the ports of a capability, on AWS (`adapters`) and in one process (`embedded`).
    ofOurs(
      'capability-adapters-meet-ports-only',
      '^shared/capabilities/(?!lists/)([^/]+)/(adapters|answers|embedded)/',
      [
        '^shared/capabilities/$1/(domain|schema|ports|adapters|answers)/',
        '^shared/runtime/opened-ports\\.ts$',
        ...shared('adapters', 'domain', 'schema', 'ports', 'names'),
      ],
    ),
    ofOurs(
      'capability-worlds-play-in-memory',
      '^shared/capabilities/(?!lists/)([^/]+)/world/',
      [
        '^shared/capabilities/$1/world/',
        '^shared/runtime/memory-store\\.ts$',
        '^shared/capabilities/lists/(item-sources|job-forms|namespace-limits|process-state|sweeps)\\.ts$',
      ].concat(
        shared('control', 'kube', 'store', 'adapters/memory', 'adapters/rows', 'domain', 'schema', 'ports', 'names'),
      ),
    ),
    ofOurs('capability-clients-are-clients', '^shared/capabilities/(?!lists/)([^/]+)/client/', [
      '^shared/capabilities/$1/(kinds|domain|schema|client)/',
      '^cli/(text|shell|client)/',
      ...shared('domain', 'schema', 'kube/list'),
    ]),
    ofOurs('capability-local-parts-are-local', '^shared/capabilities/(?!lists/)([^/]+)/local/', [
      '^shared/capabilities/$1/(domain|ports|control|adapters|local)/',
      '^local/[^/]+\\.ts$',
      '^local/(stopping|tokens)/',
      ...shared('domain', 'ports', 'names', 'control/process'),
    ]),
    ofOurs('capability-commands-are-commands', '^shared/capabilities/(?!lists/)([^/]+)/cli/', [
      '^shared/capabilities/$1/(?!test/)',
      '^shared/capabilities/lists/(cli/(command-line|simulations)|item-sources)\\.ts$',
      '^cli/(?!program/)',
      '^local/container-sessions\\.ts$',
      ...shared('domain', 'schema', 'ports', 'names', 'store', 'control', 'kube'),
    ]),
    ofOurs('runtime-wires-shared-only', '^shared/runtime/', '^shared/'),
    ofOurs('functions-are-strangers', '^functions/([^/]+)/', ['^shared/', '^functions/$1/']),
    ofOurs('local-runs-handlers-only', '^local/', ['^local/', '^shared/', '^functions/[^/]+/handler\\.ts$']),
    ofOurs('cli-starts-local-only', '^cli/', ['^cli/', '^local/', '^shared/(?!adapters/)']),
    // The page runs in a browser: of what the server is made of, it may take what only computes.
    ofOurs('page-takes-what-computes', '^ui/', [
      '^ui/',
      '^shared/capabilities/lists/cron-slots\\.ts$',
      ...shared('domain/base', 'domain/manifests', 'domain/schedulers'),
    ]),
    {
      name: 'page-model-only-computes',
      severity: 'error',
      from: { path: '^ui/model/' },
      to: {
        pathNot: [
          '^ui/model/',
          '^shared/capabilities/lists/cron-slots\\.ts$',
          ...shared('domain/base', 'domain/manifests', 'domain/schedulers'),
        ],
      },
    },
    {
      name: 'page-folders-have-an-order',
      severity: 'error',
      from: { path: '^ui/(api|parts)/' },
      to: { path: '^ui/views/', dependencyTypesNot: ['dynamic-import'] },
    },
    ofOurs('infra-is-a-stranger', '^cdk/', ['^cdk/', ...shared('names')]),
    {
      name: 'nothing-needs-tests',
      severity: 'error',
      from: { pathNot: TESTS },
      to: { path: TESTS },
    },
    {
      name: 'sdk-in-adapters-and-wire-only',
      severity: 'error',
      from: {
        path: OURS,
        pathNot: [
          '^shared/adapters/(?!memory/)',
          '^shared/capabilities/(?!lists/)[^/]+/(adapters|answers)/',
          '^local/wire/',
          ...TESTS,
        ],
      },
      to: { path: SDK },
    },
    {
      // Types count too: two files whose types need each other are read as one anyway.
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unknown-import',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'shipped-code-needs-no-dev-package',
      severity: 'error',
      from: { path: '^(shared|functions|local|cli|ui)/', pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'pre-compilation-only'] },
    },
    {
      // A file is named after its idea; these names say that nobody knew it.
      name: 'no-name-for-leftovers',
      severity: 'error',
      from: {},
      to: {
        path: LEFTOVERS.flatMap((name) => [`/${name}s?\\.ts$`, `-${name}s?\\.ts$`]),
        pathNot: 'node_modules',
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true, // `import type` obeys the layers as well
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    exclude: { path: ['^(dist|cdk\\.out|coverage|\\.muster(-aws)?|\\.git)/', '^examples/'] },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
