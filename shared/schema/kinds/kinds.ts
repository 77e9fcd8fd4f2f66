import { ATTACHED_VOLUME_KINDS } from './attached-volumes.ts';
import { BATCH_KINDS } from './batch.ts';
import { CONTAINER_KINDS } from './container.ts';
import { CONTAINER_HOOK_KINDS } from './container-hooks.ts';
import { CAPABILITY_SHAPES } from '../../capabilities/lists/shapes.ts';
import { META_KINDS } from './meta.ts';
import { NAMESPACE_AND_EVENT_KINDS } from './namespaces-and-events.ts';
import { SERVICE_KINDS } from './headless.ts';
import { PLACEMENT_KINDS } from './pod-placement.ts';
import { POD_SPEC_KINDS } from './pod-spec-kinds.ts';
import { POD_KINDS } from './pod-status.ts';
import { EVICTION_KINDS } from './evictions.ts';
import { VOLUME_KINDS } from './volumes.ts';
import type { KindTable } from './kind-table.ts';

/**
 * Every object of the Kubernetes API (1.34) that Muster reads, shows, or refuses, by the name of its Go type. Numbers,
 * keys, and strategies are Kubernetes' own (`generated.proto` and `types.go` of k8s.io/api).
 */
export const KINDS: KindTable = {
  ...BATCH_KINDS,
  ...META_KINDS,
  ...POD_SPEC_KINDS,
  ...CONTAINER_KINDS,
  ...VOLUME_KINDS,
  ...POD_KINDS,
  ...NAMESPACE_AND_EVENT_KINDS,
  ...SERVICE_KINDS,
  ...EVICTION_KINDS,
  ...PLACEMENT_KINDS,
  ...CONTAINER_HOOK_KINDS,
  ...ATTACHED_VOLUME_KINDS,
  ...CAPABILITY_SHAPES,
};
