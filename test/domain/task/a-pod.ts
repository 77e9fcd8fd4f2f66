import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { Container, PodSpec } from '../../../shared/domain/manifests/pod-spec.ts';
import { type ConfigObject, type PodSources, sourceKey } from '../../../shared/domain/task/pod-sources.ts';

/** An Indexed Job whose Pods are like this; its only container is `main` unless there are others. */
export const aPodOf = (spec: Partial<PodSpec>, main: Partial<Container> = {}): JobManifest => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sums', namespace: 'team' },
  spec: {
    parallelism: 1,
    completions: 9,
    completionMode: 'Indexed',
    backoffLimit: 6,
    suspend: false,
    podReplacementPolicy: 'Failed',
    selector: { matchLabels: {} },
    template: {
      metadata: { labels: { app: 'a"b' }, annotations: { note: 'n' } },
      spec: {
        containers: [{ name: 'main', image: 'i', ...main }],
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 30,
        ...spec,
      },
    },
  },
});

/** The first attempt of its index 7. */
export const anAttempt = {
  podName: 'p',
  podUid: 'u',
  completionIndex: 7,
  completions: 9,
  retryIndex: 0,
  failureCount: 0,
  ignoredFailureCount: 0,
  labels: {},
  item: null,
};

const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? new TextEncoder().encode(value) : value;

/** A ConfigMap with these keys. */
export const aConfigMap = (data: Readonly<Record<string, string | Uint8Array>>, version = 'c-1'): ConfigObject => ({
  version,
  keys: new Map(Object.entries(data).map(([key, value]) => [key, { kind: 'bytes', bytes: bytesOf(value) }])),
});

/** A Secret with these keys, kept in these forms. */
export const aSecret = (forms: Readonly<Record<string, 'text' | 'base64'>>, version = 's-1'): ConfigObject => ({
  version,
  keys: new Map(Object.entries(forms).map(([key, form]) => [key, { kind: 'secret', form }])),
});

type Given = {
  readonly configMaps?: Readonly<Record<string, ConfigObject>>;
  readonly secrets?: Readonly<Record<string, ConfigObject>>;
  readonly claims?: PodSources['claims'];
  readonly pulls?: PodSources['pulls'];
};

/** What is there for a Pod. */
export const sourcesOf = ({
  configMaps = {},
  secrets = {},
  claims = new Map(),
  pulls = new Map(),
}: Given): PodSources => ({
  configs: new Map([
    ...Object.entries(configMaps).map(([name, object]) => [sourceKey({ kind: 'configMap', name }), object] as const),
    ...Object.entries(secrets).map(([name, object]) => [sourceKey({ kind: 'secret', name }), object] as const),
  ]),
  claims,
  pulls,
});
