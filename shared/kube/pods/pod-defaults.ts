import type { Container, PodSpec } from '../../domain/manifests/pod-spec.ts';

/**
 * A template's spec as its Pods have it: Kubernetes sets some defaults only when a template has become a Pod
 * (`SetDefaults_Pod`), for example a limit as the default of a missing request.
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
