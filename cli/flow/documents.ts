import * as z from 'zod';
import { FURIKO_API_VERSION } from '../../shared/domain/furiko/furiko-job.ts';
import { cycleText } from '../../shared/domain/upstreams/cycles.ts';
import {
  corePath,
  cronJobsPath,
  jobConfigsPath,
  jobsPath,
  namespacesPath,
  rbacPath,
  workListPath,
} from '../client/kube-client.ts';
import { usageFailure } from '../shell/failure.ts';
import type { Manifest } from '../shell/manifest-file.ts';
import { type Dependencies, type Dependent, dependenciesOf, inOrder } from '../render/job-graph.ts';

/**
 * The kinds that a file may hold, in the order in which they are created: a Job may name a list, or be in a namespace, of its file.
 * A binding names a role and an account; limits and quotas hold for what comes after them.
 */
const KINDS = [
  'Namespace',
  'ServiceAccount',
  'ClusterRole',
  'Role',
  'ClusterRoleBinding',
  'RoleBinding',
  'LimitRange',
  'ResourceQuota',
  'Service',
  'WorkList',
  'JobConfig',
  'CronJob',
  'Job',
] as const;
type Kind = (typeof KINDS)[number];

/** Where each kind is created, and what it is called when it is there. */
export const RESOURCES: Readonly<
  Record<Kind, { readonly word: string; readonly path: (namespace: string) => string }>
> = {
  Namespace: { word: 'namespace', path: () => namespacesPath() },
  ServiceAccount: { word: 'serviceaccount', path: (namespace) => corePath(namespace, 'serviceaccounts') },
  ClusterRole: { word: 'clusterrole.rbac.authorization.k8s.io', path: () => rbacPath(null, 'clusterroles') },
  Role: { word: 'role.rbac.authorization.k8s.io', path: (namespace) => rbacPath(namespace, 'roles') },
  ClusterRoleBinding: {
    word: 'clusterrolebinding.rbac.authorization.k8s.io',
    path: () => rbacPath(null, 'clusterrolebindings'),
  },
  RoleBinding: {
    word: 'rolebinding.rbac.authorization.k8s.io',
    path: (namespace) => rbacPath(namespace, 'rolebindings'),
  },
  LimitRange: { word: 'limitrange', path: (namespace) => corePath(namespace, 'limitranges') },
  ResourceQuota: { word: 'resourcequota', path: (namespace) => corePath(namespace, 'resourcequotas') },
  Service: { word: 'service', path: (namespace) => corePath(namespace, 'services') },
  WorkList: { word: 'worklist.muster.run', path: workListPath },
  JobConfig: { word: 'jobconfig.execution.furiko.io', path: jobConfigsPath },
  CronJob: { word: 'cronjob.batch', path: cronJobsPath },
  Job: { word: 'job.batch', path: jobsPath },
};

/** An object of a file, as far as the command reads it before the server validates it. */
export type Document = Dependent & {
  readonly manifest: Manifest;
  readonly kind: Kind;
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
    const isFuriko = wished?.apiVersion === FURIKO_API_VERSION;
    return {
      manifest,
      kind,
      name: name ?? `document ${place + 1}`, // no object has such a name
      namespace: asked ?? namespace ?? null,
      dependencies: kind === 'Job' && !isFuriko ? dependenciesOf(annotations) : NO_DEPENDENCIES,
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

const kindOf = (text: string | undefined): Kind | null => KINDS.find((kind) => kind === text) ?? null;

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
