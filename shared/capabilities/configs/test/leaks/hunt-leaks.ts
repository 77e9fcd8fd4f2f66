import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { runCommandLine } from '../../../../../cli/program/program.ts';
import type { Handlers } from '../../../../../local/handlers.ts';
import { startLocalRuntime } from '../../../../../local/runtime.ts';
import { aShell } from '../../../../../test/cli/a-shell.ts';
import { secretTraces } from '../../../../../test/support/secret-traces.ts';
import type { Place } from './leak-places.ts';

const PASSWORD = 'correct horse battery staple';
const NEXT = 'tr0ub4dor and three others';
const KEY = '-----BEGIN KEY-----\nnobody ought to read this line\n-----END KEY-----\n';
/** No label, no base64, and a name of an alias. */
const WRONG = 'a-value-that-is-refused!';
const NUMBER = 481_516_234_215;
const find = secretTraces({ PASSWORD, NEXT, KEY, WRONG, NUMBER: String(NUMBER) });

const SECRETS = '/api/v1/namespaces/default/secrets';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const JSON_TYPE = 'application/json';
const MERGE = 'application/merge-patch+json';
const LONGEST_MS = 300_000;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret = (contents: object, name = 'db'): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(contents) },
  },
  ...contents,
});

const job = (name: string, spec: object, container: object, more: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    completionMode: 'Indexed',
    completions: 2,
    parallelism: 2,
    backoffLimit: 0,
    ...more,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'i', command: ['true'], ...container }],
        ...spec,
      },
    },
  },
});

const variable = (name: string, key: string) => ({ name, valueFrom: { secretKeyRef: { name: 'db', key } } });
const FILES = { volumes: [{ name: 'keys', secret: { secretName: 'db' } }] };
const USES = {
  env: [variable('PASSWORD', 'password')],
  envFrom: [{ prefix: 'DB_', secretRef: { name: 'db' } }],
  volumeMounts: [{ name: 'keys', mountPath: '/keys' }],
};
const JOB = job('use', FILES, USES);

const DOCKER = 'kubernetes.io/dockerconfigjson';
const DOCKER_KEY = '.dockerconfigjson';

/** What somebody may send that is no Secret. */
const REFUSED: readonly (readonly [method: string, path: string, body: string, type: string])[] = [
  ['POST', SECRETS, `{"kind":"Secret","stringData":{"a":"${WRONG}`, JSON_TYPE],
  ['POST', SECRETS, `stringData:\n  a: *${WRONG}`, 'application/yaml'],
  ['POST', SECRETS, JSON.stringify(secret({ data: { a: `${WRONG}!` } }, 'new')), JSON_TYPE],
  ['POST', SECRETS, JSON.stringify(secret({ stringData: WRONG }, 'new')), JSON_TYPE],
  ['POST', SECRETS, JSON.stringify(secret({ stringData: { a: NUMBER } }, 'new')), JSON_TYPE],
  ['POST', `${SECRETS}?fieldValidation=Strict`, JSON.stringify(secret({ values: { a: WRONG } }, 'new')), JSON_TYPE],
  ['POST', SECRETS, JSON.stringify(secret({ immutable: WRONG }, 'new')), JSON_TYPE],
  ['POST', SECRETS, JSON.stringify({ ...secret({}, 'new'), kind: WRONG }), JSON_TYPE],
  ['POST', SECRETS, JSON.stringify({ ...secret({}), metadata: { name: 'new', labels: { a: WRONG } } }), JSON_TYPE],
  [
    'POST',
    SECRETS,
    JSON.stringify(secret({ type: DOCKER, stringData: { [DOCKER_KEY]: `{"${WRONG}` } }, 'new')),
    JSON_TYPE,
  ],
  ['PATCH', `${SECRETS}/db`, `[{"op":"${WRONG}","path":"/data/a"}]`, 'application/json-patch+json'],
  ['PATCH', `${SECRETS}/db`, `{"data":{"$patch":"${WRONG}"}}`, 'application/strategic-merge-patch+json'],
  ['PATCH', `${SECRETS}/db`, `{"data":{"a":"${WRONG}"}}`, MERGE],
  ['PATCH', `${SECRETS}/db`, `{"data":"${WRONG}"}`, 'application/strategic-merge-patch+json'],
  [
    'PATCH',
    `${SECRETS}/db`,
    `[{"op":"test","path":"/data/password","value":"${WRONG}"}]`,
    'application/json-patch+json',
  ],
  ['PUT', `${SECRETS}/db`, JSON.stringify({ ...secret({}), metadata: { name: 'db', uid: WRONG } }), JSON_TYPE],
  [
    'POST',
    JOBS,
    JSON.stringify(job('no', {}, { env: [{ name: 'A', value: '$(PASSWORD)' }, variable('B', 'x'.repeat(300))] })),
    JSON_TYPE,
  ],
];

/** Whatever Muster says, by where. */
type Said = Map<Place, string[]>;

/**
 * The life of a Secret in `muster local`: written, refused, changed, used by Jobs that succeed, fail, and wait, shown, described,
 * and deleted. Looks for its values in all that is said and kept meanwhile, but in what shows a Secret to those who may get it.
 *
 * @param folder an empty one
 * @returns findings such as `logs: PASSWORD, in base64`
 */
export async function huntLeaks(folder: {
  readonly dataDir: string;
  readonly workspaceDir: string;
}): Promise<readonly string[]> {
  const said: Said = new Map();
  const hear = (place: Place, text: string): void => void said.set(place, [...(said.get(place) ?? []), text]);
  const restore = hearOutput((text) => hear('logs', text));
  try {
    await live(folder, hear);
  } finally {
    restore();
  }
  return [...said].flatMap(([place, texts]) => find(texts.join('\n')).map((what) => `${place}: ${what}`));
}

async function live(
  { dataDir, workspaceDir }: { readonly dataDir: string; readonly workspaceDir: string },
  hear: (place: Place, text: string) => void,
): Promise<void> {
  const audit = join(dataDir, 'audit.log');
  const listener = await aListener((text) => hear('announcements', text));
  const runtime = await startLocalRuntime({
    port: null,
    dataDir,
    workspaceDir,
    driver: 'simulated',
    script: { runMs: 20, decide: ({ env }) => (env.has('FAILS') ? { exitCode: 1 } : undefined) },
    wiring: 'inProcess',
    audit,
    listeners: { url: listener.url },
    say: (line) => hear('logs', line),
    handlers: async (own) => Promise.resolve(heard(own, (text) => hear('messages', text))),
  });
  if (runtime.kind === 'refused') throw new Error(runtime.reason);
  try {
    await use(runtime.url, hear);
    await look({ ...runtime, workspaceDir }, hear);
    await listener.isTold();
  } finally {
    await runtime.stop();
    await listener.close();
  }
  for (const file of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    hear(placeOf(path.slice(dataDir.length + 1)), readFileSync(path, 'latin1'));
  }
}

/** What a file of the data folder is. */
const placeOf = (file: string): Place =>
  file === 'audit.log' ? 'audit lines' : /definitions|tasks/.test(file) ? 'task definitions' : 'the table';

async function use(url: string, hear: (place: Place, text: string) => void): Promise<void> {
  const send = async (method: string, path: string, body: object | string = '', type = JSON_TYPE) =>
    fetch(url + path, {
      method,
      headers: { 'content-type': type },
      ...(body === '' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const done = async (method: string, path: string, body: object | string = '', type = JSON_TYPE): Promise<void> => {
    const answer = await send(method, path, body, type);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    // Who may get a Secret is shown it; everything else shows it to nobody.
    if (!path.startsWith(SECRETS)) hear('describe', text);
  };
  const until = async (path: string, isSo: (text: string) => boolean): Promise<void> => {
    const startedMs = performance.now();
    for (;;) {
      const text = await (await send('GET', path)).text();
      if (isSo(text)) return;
      if (performance.now() > startedMs + LONGEST_MS) throw new Error(`${path} stays ${text}`);
      await sleep(50);
    }
  };
  await done('POST', SECRETS, secret({ data: { password: base64(PASSWORD) }, stringData: { 'tls.key': KEY } }));
  for (const [method, path, body, type] of REFUSED) {
    const answer = await send(method, path, body, type);
    if (answer.ok) throw new Error(`${method} ${path} is not refused: ${body.slice(0, 60)}`);
    hear('error texts', `${JSON.stringify([...answer.headers])} ${await answer.text()}`);
  }
  await done('POST', JOBS, JOB);
  await until(`${JOBS}/use`, (text) => text.includes('"type":"Complete"'));
  await done('PATCH', `${SECRETS}/db`, { stringData: { password: NEXT } }, MERGE);
  await done('POST', JOBS, job('fails', FILES, { ...USES, env: [...USES.env, { name: 'FAILS', value: '1' }] }));
  await until(`${JOBS}/fails`, (text) => text.includes('"type":"Failed"'));
  await done('POST', JOBS, job('waits', {}, { env: [variable('NONE', 'none'), ...USES.env] }));
  await until('/api/v1/namespaces/default/pods', (text) => text.includes("couldn't find key none"));
}

/** What people see who look. */
async function look(
  {
    url,
    kubeconfig,
    workspaceDir,
  }: { readonly url: string; readonly kubeconfig: string; readonly workspaceDir: string },
  hear: (place: Place, text: string) => void,
): Promise<void> {
  const read = async (path: string, accept = JSON_TYPE): Promise<string> =>
    (await fetch(url + path, { headers: { accept } })).text();
  hear('Events', await read('/api/v1/events'));
  for (const path of ['/api/v1/pods', JOBS, '/apis/events.k8s.io/v1/events', '/muster/v1/diagnosis'])
    hear('describe', await read(path));
  const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const table = JSON.parse(await read(`${SECRETS}?includeObject=None`, TABLE)) as {
    readonly rows?: readonly { readonly cells: unknown }[];
  };
  hear('describe', JSON.stringify(table.rows?.map(({ cells }) => cells)));
  const isThere = readdirSync('/usr/bin').includes('kubectl');
  if (isThere) {
    for (const what of ['secrets', 'pods', 'jobs']) hear('describe', await kubectl(kubeconfig, 'describe', what));
    for (const what of ['secrets', 'events']) hear('describe', await kubectl(kubeconfig, 'get', what, '-o', 'wide'));
  }
  const lines = [
    'get',
    'get use -o wide',
    'failures fails',
    'doctor',
    'doctor fails',
    'doctor waits',
    'joblog use',
    'joblog fails',
    'plan waits',
    'logs use',
    'graph waits',
  ];
  for (const line of lines) hear('commands', await typed(line, { kubeconfig, cwd: workspaceDir }));
  const files = { apiVersion: 'v1', kind: 'List', items: [secret({ data: { password: base64(PASSWORD) } }), JOB] };
  for (const line of ['simulate -f -', 'plan -f -', 'run -f - --dry-run'])
    hear('commands', await typed(line, { kubeconfig, cwd: workspaceDir, stdin: JSON.stringify(files) }));
}

async function typed(
  line: string,
  { kubeconfig, ...wish }: { readonly kubeconfig: string; readonly cwd: string; readonly stdin?: string },
): Promise<string> {
  const shell = aShell({ ...wish, env: { KUBECONFIG: kubeconfig } });
  await runCommandLine(line.split(' '), shell.shell);
  return `${shell.out()}\n${shell.err()}`;
}

async function kubectl(kubeconfig: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('kubectl', [`--kubeconfig=${kubeconfig}`, ...args]);
  return stdout + stderr;
}

/** The functions, whose messages somebody reads along. */
function heard(own: Handlers, hear: (text: string) => void): Handlers {
  const along =
    <A extends readonly unknown[], R>(handler: (...args: A) => R) =>
    (...args: A): R => {
      hear(JSON.stringify(args[0]));
      return handler(...args);
    };
  return { ...own, reconcile: along(own.reconcile), dispatch: along(own.dispatch), submit: along(own.submit) };
}

/** Somebody who hears of Jobs' changes. */
async function aListener(hear: (text: string) => void) {
  let told = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      told += 1;
      hear(Buffer.concat(pieces).toString());
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async isTold() {
      for (let at = 0; told < 3; at += 1) {
        if (at * 50 > LONGEST_MS) throw new Error(`somebody was told ${told} times`);
        await sleep(50);
      }
    },
    close: async () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What this process writes is heard, and not written, until it is restored. */
function hearOutput(hear: (text: string) => void): () => void {
  const own = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write.bind(stream) }));
  for (const { stream } of own)
    stream.write = (piece: string | Uint8Array): boolean => {
      hear(typeof piece === 'string' ? piece : Buffer.from(piece).toString());
      return true;
    };
  return () => {
    for (const { stream, write } of own) stream.write = write;
  };
}
