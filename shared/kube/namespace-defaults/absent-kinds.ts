import { type Context, Hono } from 'hono';
import { type ApiKind, apiVersionOf, pathOfAll, pathWithin } from '../../domain/kinds/api-kind.ts';
import { flagOf } from '../http/query.ts';
import { errorResponse, noSuchPath } from '../http/status-error.ts';

type AbsentKind = Pick<ApiKind, 'group' | 'version' | 'kind' | 'plural' | 'isNamespaced'> & {
  /** What is used instead. */
  readonly refusal: string;
};

const APPS = { group: 'apps', version: 'v1', isNamespaced: true } as const;
const notHere = (kinds: string): string =>
  `there are no ${kinds} here: Muster runs Jobs and CronJobs, to their end (docs/kubectl.md)`;

/** Kinds that users of a cluster expect, and tools ask for that look at all of it, as `kubectl cluster-info dump`. */
export const ABSENT: readonly AbsentKind[] = [
  { ...APPS, kind: 'Deployment', plural: 'deployments', refusal: notHere('Deployments') },
  { ...APPS, kind: 'DaemonSet', plural: 'daemonsets', refusal: notHere('DaemonSets') },
  { ...APPS, kind: 'ReplicaSet', plural: 'replicasets', refusal: notHere('ReplicaSets') },
  {
    group: '',
    version: 'v1',
    isNamespaced: true,
    kind: 'ReplicationController',
    plural: 'replicationcontrollers',
    refusal: notHere('ReplicationControllers'),
  },
  {
    group: '',
    version: 'v1',
    isNamespaced: false,
    kind: 'Node',
    plural: 'nodes',
    refusal: 'there are no nodes here: a task has no machine of its own',
  },
];

/**
 * Answers requests for kinds that do not exist here. A list is empty, which is true, and lets clients go on; discovery does not name
 * the kind. Everything else is 404, as for any other, but with words that say what to use.
 */
export function absentKindRoutes(): Hono {
  const app = new Hono();
  for (const { refusal, ...row } of ABSENT) {
    const [address, within] = [pathOfAll(row), pathWithin(row, ':namespace')];
    const refuse = (): Response => errorResponse(noSuchPath(refusal));
    const list = (c: Context): Response =>
      flagOf(c.req.query('watch'))
        ? refuse()
        : c.json({ kind: `${row.kind}List`, apiVersion: apiVersionOf(row), metadata: {}, items: [] });
    for (const path of row.isNamespaced ? [address, within] : [address]) {
      app.get(path, list);
      app.all(path, refuse);
    }
    app.all(row.isNamespaced ? `${within}/:name` : `${address}/:name`, refuse);
  }
  return app;
}
