import type { PodSource, ReadSources } from '../../../control/process/pod-source.ts';
import { toBase64 } from '../../../domain/task/volumes/base64.ts';
import {
  type ConfigObject,
  type NamedSource,
  type PullSource,
  WAITING,
  sourceKey,
  utf8Text,
} from '../../../domain/task/pod-sources.ts';
import { type PullSecret, pullCopyOf } from '../../../domain/task/task.ts';
import type { ConfigReader, ConfigValues } from '../ports/config-reader.ts';
import { type Login, loginsOf } from '../schema/docker-config.ts';
import { createConfigReader } from '../store/index.ts';
import { Unopened } from '../store/unopened.ts';
import type { SecretCopy } from '../ports/secret-copies.ts';
import { versionOf } from './object-version.ts';

/** ConfigMaps and Secrets that Pods name. What a Secret holds goes to where tasks read it, and nowhere else. */
export const CONFIG_SOURCE: PodSource = {
  async read(namespace, named, { objects, ports, hash }) {
    const wanted = named.filter(({ kind }) => kind !== 'claim');
    if (wanted.length === 0) return { sources: {} };
    const reader = onceEach(createConfigReader({ objects, ports }));
    const found = await Promise.all(wanted.map(async (source) => readOne(namespace, source, reader)));
    const fault = found.find(({ kind }) => kind === 'faulty');
    if (fault?.kind === 'faulty') return { sources: {}, fault: fault.reason };
    const there = found.flatMap((each) => (each.kind === 'read' ? [each] : []));
    const logins = found.flatMap((each) => (each.kind === 'logins' ? [each] : []));
    const copies = there
      .filter(({ source }) => source.kind === 'secret')
      .map(({ source, config }) => copyOf(namespace, source, config));
    const provide: ReadSources['provide'] = async (pulls) => {
      const ofPulls = logins.flatMap((each) => pullCopies(namespace, each, pulls, hash));
      for (const copy of [...copies, ...ofPulls]) {
        const put = await ports.secretCopies?.put(copy);
        if (put !== undefined && put.kind !== 'there') return put;
      }
      return null;
    };
    return {
      sources: {
        configs: new Map(there.map(({ source, config }) => [sourceKey(source), objectOf(source, config)])),
        pulls: new Map(logins.map((each) => [each.name, pullSourceOf(each)])),
      },
      provide,
    };
  },
};

type Read =
  | { readonly kind: 'read'; readonly source: NamedSource; readonly config: ConfigValues }
  | Logins
  | { readonly kind: 'absent' }
  /** It is there, and sealed with a key that is not, or not what it is named for. */
  | { readonly kind: 'faulty'; readonly reason: string };

/** What a Secret has for pulls, by registry. */
type Logins = {
  readonly kind: 'logins';
  readonly name: string;
  readonly version: string;
  readonly byRegistry: ReadonlyMap<string, Login>;
};

/** A Pod may take variables of a Secret, and its image. */
function onceEach(reader: ConfigReader): ConfigReader {
  const reading = new Map<string, ReturnType<ConfigReader['read']>>();
  return {
    async read(kind, key) {
      const id = `${kind}/${key.name}`;
      const asked = reading.get(id) ?? reader.read(kind, key);
      reading.set(id, asked);
      return asked;
    },
  };
}

async function readOne(namespace: string, source: NamedSource, reader: ConfigReader): Promise<Read> {
  const { kind, name } = source;
  const isPull = kind === 'pullSecret';
  try {
    const config = await reader.read(kind === 'configMap' ? 'ConfigMap' : 'Secret', { namespace, name });
    if (config === null) return { kind: 'absent' };
    if (!isPull) return { kind: 'read', source, config };
    const byRegistry = loginsOf(config.type, config.data);
    if (byRegistry === null) return { kind: 'faulty', reason: noDockerConfig(name) };
    return { kind: 'logins', name, version: versionOf(config), byRegistry };
  } catch (error) {
    if (!(error instanceof Unopened)) throw error;
    const what = isPull ? WAITING.pull : WAITING.variable;
    return { kind: 'faulty', reason: `${what}: secret "${name}" cannot be opened: ${error.message}` };
  }
}

const noDockerConfig = (name: string): string =>
  `${WAITING.pull}: secret "${name}" of imagePullSecrets is no docker configuration: each entry has username and password, or both in auth, in base64 with a colon between them`;

const objectOf = ({ kind }: NamedSource, config: ConfigValues): ConfigObject => ({
  version: versionOf(config),
  keys: new Map(
    [...config.data].map(([key, bytes]) => [
      key,
      kind === 'secret'
        ? { kind: 'secret', form: utf8Text(bytes) === null ? 'base64' : 'text' }
        : { kind: 'bytes', bytes },
    ]),
  ),
});

const pullSourceOf = ({ version, byRegistry }: Logins): PullSource => ({ version, registries: [...byRegistry.keys()] });

const copyOf = (namespace: string, { name }: NamedSource, config: ConfigValues): SecretCopy => ({
  namespace,
  name,
  version: versionOf(config),
  values: new Map([...config.data].map(([key, bytes]) => [key, utf8Text(bytes) ?? toBase64(bytes)])),
});

/** Only of what an image is pulled with: a Secret may have users of many registries. */
function pullCopies(
  namespace: string,
  { name, version, byRegistry }: Logins,
  pulls: readonly PullSecret[],
  hash: (text: string) => string,
): readonly SecretCopy[] {
  const wanted = new Set(pulls.flatMap((pull) => (pull.name === name ? (pull.copy?.registry ?? []) : [])));
  return [...byRegistry].flatMap(([registry, { username, password }]) => {
    const copy = pullCopyOf({ version, registry }, hash);
    if (!wanted.has(copy.registry)) return [];
    const values = new Map([
      ['username', username],
      ['password', password],
    ]);
    return [{ namespace, name, ...copy, values }];
  });
}
