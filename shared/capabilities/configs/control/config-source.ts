import type { PodSource } from '../../../control/process/pod-source.ts';
import { toBase64 } from '../../../domain/task/volumes/base64.ts';
import { type ConfigObject, type NamedSource, sourceKey, utf8Text } from '../../../domain/task/pod-sources.ts';
import type { ConfigValues } from '../ports/config-reader.ts';
import { createConfigReader } from '../store/index.ts';
import type { SecretCopy } from '../ports/secret-copies.ts';

/** ConfigMaps and Secrets that Pods name. What a Secret holds goes to where tasks read it, and nowhere else. */
export const CONFIG_SOURCE: PodSource = {
  async read(namespace, named, { objects, ports }) {
    const wanted = named.filter(({ kind }) => kind !== 'claim');
    if (wanted.length === 0) return { sources: {} };
    const reader = createConfigReader({ objects, ports });
    const found = await Promise.all(
      wanted.map(async (source) => {
        const kind = source.kind === 'secret' ? 'Secret' : 'ConfigMap';
        const config = await reader.read(kind, { namespace, name: source.name });
        return config === null ? [] : [{ source, config }];
      }),
    );
    const there = found.flat();
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
