import type { Container, PodSpec } from '../domain/pod-spec.ts';

/**
 * A template's spec as its Pods have it: Kubernetes fills in some defaults only when a template has become a Pod
 * (`SetDefaults_Pod`), among them that a limit stands for a request that is not there.
 */
export function withPodDefaults(template: PodSpec): PodSpec {
  const { containers, initContainers } = template;
  const defaults = { enableServiceLinks: true };
  return {
    ...defaults,
    ...template,
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withRequests) }),
    containers: containers.map(withRequests),
  };
}

function withRequests(container: Container): Container {
  const { limits, requests } = container.resources ?? {};
  return limits === undefined || Object.keys(limits).length === 0
    ? container
    : { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}
