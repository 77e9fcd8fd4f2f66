import * as z from 'zod';
import { apiVersionOf, ofGroup, pathOfAll, pathWithin, singularOf } from '../../shared/domain/kinds/api-kind.ts';
import { ALL_KINDS, API_KINDS, JOB_KINDS, type KindName } from '../../shared/domain/kinds/api-kinds.ts';
import { cycleText } from '../../shared/domain/upstreams/cycles.ts';
import { usageFailure } from '../shell/failure.ts';
import type { Manifest } from '../shell/manifest-file.ts';
import { type Dependencies, type Dependent, dependenciesOf, inOrder } from '../../shared/domain/manifests/job-graph.ts';

/** The kinds that a file may hold, in the order in which they are created: Jobs last. A Job of another API is a Job here. */
const KINDS: readonly KindName[] = [
  ...ALL_KINDS.filter(
    ({ name, kind, verbs }) => name === kind && name !== 'Job' && verbs.includes('create') && verbs.includes('list'),
  ).map(({ name }) => name),
  'Job',
];

/** Where objects of a kind are created, and what one is called when it is there: `cronjob.batch`. */
export function resourceOf(name: KindName): { readonly word: string; readonly path: (namespace: string) => string } {
  const kind = API_KINDS[name];
  return {
    word: ofGroup(singularOf(kind), kind),
    path: (namespace) => (kind.isNamespaced ? pathWithin(kind, encodeURIComponent(namespace)) : pathOfAll(kind)),
  };
}

/** An object of a file, as far as the command reads it before the server validates it. */
export type Document = Dependent & {
  readonly manifest: Manifest;
  readonly kind: KindName;
  /** null: nobody names one, so it is that of the kubeconfig. */
  readonly namespace: string | null;
};

const Wished = z.object({
  kind: z.string().optional(),
  apiVersion: z.string().optional(),
  metadata: z
    .object({
      name: z.string().optional().catch(undefined),
      namespace: z.string().optional(),
      annotations: z.record(z.string(), z.string()).optional().catch(undefined),
    })
    .optional(),
});

const NO_DEPENDENCIES: Dependencies = { after: [], afterIndexes: [] };

/**
 * The objects of a file in the order in which they are created: Jobs last, each after those that it waits for.
 *
 * @param asked the namespace of the command line; null: none
 * @throws Failure (invalid command line), before anything is sent: another kind, another namespace, or Jobs that wait for one
 *   another in a circle
 */
export function documentsOf(manifests: readonly Manifest[], asked: string | null): readonly Document[] {
  if (manifests.length > 1) manifests.forEach(refuseOtherKinds);
  const documents = manifests.map((manifest, place): Document => {
    const wished = Wished.safeParse(manifest.value).data;
    const { name, namespace, annotations = {} } = wished?.metadata ?? {};
    // As in kubectl: a namespace given on the command line must match the manifest's, if the manifest names one.
    if (asked !== null && namespace !== undefined && asked !== namespace)
      throw usageFailure(`the manifest is for namespace ${JSON.stringify(namespace)}, not ${JSON.stringify(asked)}`);
    const kind = kindOf(wished?.kind) ?? 'Job';
    const isOther = JOB_KINDS.some((row) => row.name !== 'Job' && apiVersionOf(row) === wished?.apiVersion);
    return {
      manifest,
      kind,
      name: name ?? `document ${place + 1}`, // no object has such a name
      namespace: asked ?? namespace ?? null,
      dependencies: kind === 'Job' && !isOther ? dependenciesOf(annotations) : NO_DEPENDENCIES,
    };
  });
  return KINDS.flatMap((kind) => {
    const ofKind = documents.filter((each) => each.kind === kind);
    const namespaces = [...new Set(ofKind.map(({ namespace }) => namespace))];
    return namespaces.flatMap((namespace) => {
      const { order, cycle } = inOrder(ofKind.filter((each) => each.namespace === namespace));
      const [first] = cycle ?? [];
      if (cycle !== null && first !== undefined)
        throw usageFailure(`${cycleText([...cycle, first])}; nothing was created`);
      return order;
    });
  });
}

const kindOf = (text: string | undefined): KindName | null => KINDS.find((kind) => kind === text) ?? null;

function refuseOtherKinds({ value, lineOf }: Manifest): void {
  const kind = Wished.safeParse(value).data?.kind;
  if (kindOf(kind) !== null) return;
  const line = lineOf('kind');
  throw usageFailure(
    `${line === null ? '' : `line ${line}: `}a ${kind ?? 'document without a kind'}; run takes ${KINDS.slice(0, -1)
      .map((each) => `${each}s`)
      .join(', ')} and Jobs`,
  );
}
