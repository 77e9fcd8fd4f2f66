import type { PodSource } from '../../../control/process/pod-source.ts';
import { toBase64 } from '../../../domain/task/volumes/base64.ts';
import { type ConfigObject, type NamedSource, WAITING, sourceKey, utf8Text } from '../../../domain/task/pod-sources.ts';
import type { ConfigReader, ConfigValues } from '../ports/config-reader.ts';
import { createConfigReader } from '../store/index.ts';
import { Unopened } from '../store/unopened.ts';
import type { SecretCopy } from '../ports/secret-copies.ts';

/** ConfigMaps and Secrets that Pods name. What a Secret holds goes to where tasks read it, and nowhere else. */
export const CONFIG_SOURCE: PodSource = {
  async read(namespace, named, { objects, ports }) {
    const wanted = named.filter(({ kind }) => kind !== 'claim');
    if (wanted.length === 0) return { sources: {} };
    const reader = createConfigReader({ objects, ports });
    const found = await Promise.all(wanted.map(async (source) => readOne(namespace, source, reader)));
    const fault = found.find(({ kind }) => kind === 'unopened');
    if (fault?.kind === 'unopened') return { sources: {}, fault: fault.reason };
    const there = found.flatMap((each) => (each.kind === 'read' ? [each] : []));
    const copies = there
      .filter(({ source }) => source.kind === 'secret')
      .map(({ source, config }) => copyOf(namespace, source, config));
    return {
      sources: { configs: new Map(there.map(({ source, config }) => [sourceKey(source), objectOf(source, config)])) },
      async provide() {
        for (const copy of copies) {
          const put = await ports.secretCopies?.put(copy);
          if (put !== undefined && put.kind !== 'there') return put;
        }
        return null;
      },
    };
  },
};

type Read =
  | { readonly kind: 'read'; readonly source: NamedSource; readonly config: ConfigValues }
  | { readonly kind: 'absent' }
  /** It is there, and sealed with a key that is not: its operator has to see to it. */
  | { readonly kind: 'unopened'; readonly reason: string };

async function readOne(namespace: string, source: NamedSource, reader: ConfigReader): Promise<Read> {
  const { name } = source;
  try {
    const config = await reader.read(source.kind === 'secret' ? 'Secret' : 'ConfigMap', { namespace, name });
    return config === null ? { kind: 'absent' } : { kind: 'read', source, config };
  } catch (error) {
    if (!(error instanceof Unopened)) throw error;
    return { kind: 'unopened', reason: `${WAITING.variable}: secret "${name}" cannot be opened: ${error.message}` };
  }
}

/** Differs for each version of each object that ever had the name. */
const versionOf = ({ uid, version }: ConfigValues): string => `${uid}-${version}`;

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

const copyOf = (namespace: string, { name }: NamedSource, config: ConfigValues): SecretCopy => ({
  namespace,
  name,
  version: versionOf(config),
  values: new Map([...config.data].map(([key, bytes]) => [key, utf8Text(bytes) ?? toBase64(bytes)])),
});
