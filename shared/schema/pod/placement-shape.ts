import * as z from 'zod';
import { int32, int64, opt, text, texts } from '../object/json-fields.ts';
import { labelSelectorShape } from '../object/label-selector-shape.ts';

/** Where Pods run, as clients write it: `affinity`, `tolerations`, and `topologySpreadConstraints` of a pod template. */

const requirement = z.strictObject({ key: text, operator: text, values: texts });
const nodeTerm = z.strictObject({
  matchExpressions: opt(z.array(requirement)),
  matchFields: opt(z.array(requirement)),
});
const podTerm = z.strictObject({
  labelSelector: opt(labelSelectorShape),
  namespaces: texts,
  topologyKey: text,
  namespaceSelector: opt(labelSelectorShape),
  matchLabelKeys: texts,
  mismatchLabelKeys: texts,
});
const podAffinity = z.strictObject({
  requiredDuringSchedulingIgnoredDuringExecution: opt(z.array(podTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: opt(
    z.array(z.strictObject({ weight: int32, podAffinityTerm: opt(podTerm) })),
  ),
});

export const affinityShape = z.strictObject({
  nodeAffinity: opt(
    z.strictObject({
      requiredDuringSchedulingIgnoredDuringExecution: opt(
        z.strictObject({ nodeSelectorTerms: opt(z.array(nodeTerm)) }),
      ),
      preferredDuringSchedulingIgnoredDuringExecution: opt(
        z.array(z.strictObject({ weight: int32, preference: opt(nodeTerm) })),
      ),
    }),
  ),
  podAffinity: opt(podAffinity),
  podAntiAffinity: opt(podAffinity),
});

export const tolerationShape = z.strictObject({
  key: text,
  operator: text,
  value: text,
  effect: text,
  tolerationSeconds: int64,
});

export const spreadShape = z.strictObject({
  maxSkew: int32,
  topologyKey: text,
  whenUnsatisfiable: text,
  labelSelector: opt(labelSelectorShape),
  minDomains: int32,
  nodeAffinityPolicy: text,
  nodeTaintsPolicy: text,
  matchLabelKeys: texts,
});

export type NodeTermShape = z.output<typeof nodeTerm>;
export type PodTermShape = z.output<typeof podTerm>;
export type PodAffinityShape = z.output<typeof podAffinity>;
export type TolerationShape = z.output<typeof tolerationShape>;
export type SpreadShape = z.output<typeof spreadShape>;
