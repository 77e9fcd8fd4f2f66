import type { PodField } from '../../../shared/schema/pod/pod-field.ts';
import type { POD_FIELDS } from '../../../shared/schema/pod/pod-fields.ts';

export type Group = keyof typeof POD_FIELDS;

/** Where each object of the pod template stands. */
export const PATHS: Readonly<Record<Group, string>> = {
  metadata: 'metadata',
  spec: 'spec',
  podSecurity: 'spec.securityContext',
  volume: 'spec.volumes[]',
  emptyDir: 'spec.volumes[].emptyDir',
  hostPath: 'spec.volumes[].hostPath',
  configMap: 'spec.volumes[].configMap',
  secret: 'spec.volumes[].secret',
  keyFile: 'spec.volumes[].configMap.items[]',
  downwardAPI: 'spec.volumes[].downwardAPI',
  downwardFile: 'spec.volumes[].downwardAPI.items[]',
  projected: 'spec.volumes[].projected',
  projection: 'spec.volumes[].projected.sources[]',
  tokenProjection: 'spec.volumes[].projected.sources[].serviceAccountToken',
  claim: 'spec.volumes[].persistentVolumeClaim',
  ephemeral: 'spec.volumes[].ephemeral',
  claimTemplate: 'spec.volumes[].ephemeral.volumeClaimTemplate',
  claimSpec: 'spec.volumes[].ephemeral.volumeClaimTemplate.spec',
  nfs: 'spec.volumes[].nfs',
  container: 'spec.containers[]',
  env: 'spec.containers[].env[]',
  valueFrom: 'spec.containers[].env[].valueFrom',
  fieldRef: 'spec.containers[].env[].valueFrom.fieldRef',
  resourceFieldRef: 'spec.containers[].env[].valueFrom.resourceFieldRef',
  secretKeyRef: 'spec.containers[].env[].valueFrom.secretKeyRef',
  configMapKeyRef: 'spec.containers[].env[].valueFrom.configMapKeyRef',
  envFrom: 'spec.containers[].envFrom[]',
  configMapRef: 'spec.containers[].envFrom[].configMapRef',
  secretRef: 'spec.containers[].envFrom[].secretRef',
  resources: 'spec.containers[].resources',
  port: 'spec.containers[].ports[]',
  volumeMount: 'spec.containers[].volumeMounts[]',
  containerSecurity: 'spec.containers[].securityContext',
  capabilities: 'spec.containers[].securityContext.capabilities',
};

/** The line of docs/pod-template.md on a field; it stands under the heading of its group. */
export function docsRow(group: Group, field: string, row: PodField): string {
  const start = `| \`${PATHS[group].split('.').at(-1) ?? ''}.${field}\` |`;
  if (row.kind === 'honoured') return `${start} yes | ${row.as} |`;
  if (row.kind === 'harmless') return `${start} no effect | ${row.why} |`;
  const values = row.harmless.map((value) => `\`${JSON.stringify(value)}\``);
  const means = values.length === 0 ? '' : `; ${values.join(' and ')} ${values.length === 1 ? 'is' : 'are'} accepted`;
  return `${start} refused | ${row.instead}${means} |`;
}
