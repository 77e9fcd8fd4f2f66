import type { Context, Hono } from 'hono';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { jsonAnswer } from '../../../kube/http/json-answer.ts';
import { flagOf } from '../../../kube/http/query.ts';
import { type StatusError, errorResponse, methodNotAllowed, notFound } from '../../../kube/http/status-error.ts';
import { parsePodFilter, showsPod } from '../../../kube/pods/list-pods.ts';
import type { Measured } from '../domain/usage-rates.ts';
import { METRIC_KINDS } from '../kinds/index.ts';
import { measuredPods } from './measured-pods.ts';
import { podMetrics } from './pod-metrics.ts';

const ROOT = '/apis/metrics.k8s.io/v1beta1';
const NO_NODES = 'there are no nodes here: a task has no machine of its own; kubectl top pods shows what Pods use';

/** What Pods use, as a cluster's metrics server says it. */
export function addMetricRoutes(app: Hono, deps: ApiDeps, measure: () => Promise<Measured>): void {
  const list = async (c: Context, namespace: string | null): Promise<Response> => {
    const { labelSelector, fieldSelector, watch } = c.req.query();
    if (flagOf(watch)) return errorResponse(methodNotAllowed());
    const filter = parsePodFilter(namespace, {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    });
    if (filter.kind === 'bad') return errorResponse(filter.error);
    const measured = await measure();
    const items = [];
    for await (const { pod, rates } of measuredPods(measured, filter.value.scope, deps))
      if (showsPod(filter.value, pod)) items.push(podMetrics(pod, rates, measured));
    return jsonAnswer(c, { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items });
  };
  app.get(`${ROOT}/pods`, async (c) => list(c, null));
  app.get(`${ROOT}/namespaces/:namespace/pods`, async (c) => list(c, c.req.param('namespace')));
  app.get(`${ROOT}/namespaces/:namespace/pods/:name`, async (c) => {
    const { namespace, name } = c.req.param();
    const measured = await measure();
    for await (const { pod, rates } of measuredPods(measured, { namespace }, deps))
      if (pod.metadata.name === name) return jsonAnswer(c, podMetrics(pod, rates, measured));
    return errorResponse(notFound(METRIC_KINDS.PodMetrics, name));
  });
  for (const path of [`${ROOT}/nodes`, `${ROOT}/nodes/:name`]) app.all(path, () => errorResponse(noNodes()));
  for (const path of ['/pods', '/namespaces/:namespace/pods', '/namespaces/:namespace/pods/:name'])
    app.all(`${ROOT}${path}`, () => errorResponse(methodNotAllowed()));
}

const noNodes = (): StatusError => methodNotAllowed(NO_NODES);
