import * as z from 'zod';
import { flag, int32, int64, known, opt, quantities, text, textMap, texts } from '../object/json-fields.ts';
import { metadataShape } from '../object/metadata-shape.ts';
import { affinityShape, spreadShape, tolerationShape } from './placement-shape.ts';

/**
 * A pod template as clients write it, with every field of Kubernetes 1.34's PodTemplateSpec. Fields that are refused as
 * a whole may have any content. pod-fields.ts says how Muster treats each field.
 */

const quantity = opt(z.union([z.string(), z.number()]).transform(String));

const fieldRef = z.strictObject({ apiVersion: text, fieldPath: text });
const resourceFieldRef = z.strictObject({ containerName: text, resource: text, divisor: quantity });
const keyRef = z.strictObject({ name: text, key: text, optional: flag });
const valueFrom = z.strictObject({
  fieldRef: opt(fieldRef),
  resourceFieldRef: opt(resourceFieldRef),
  secretKeyRef: opt(keyRef),
  configMapKeyRef: opt(keyRef),
  ...known('fileKeyRef'),
});
const env = z.strictObject({ name: text, value: text, valueFrom: opt(valueFrom) });

const port = z.strictObject({ name: text, containerPort: int32, protocol: text, hostPort: int32, hostIP: text });

const volumeMount = z.strictObject({
  name: text,
  mountPath: text,
  readOnly: flag,
  ...known('recursiveReadOnly', 'subPath', 'mountPropagation', 'subPathExpr'),
});

const capabilities = z.strictObject({ add: texts, drop: texts });
const containerSecurity = z.strictObject({
  runAsUser: int64,
  runAsGroup: int64,
  runAsNonRoot: flag,
  readOnlyRootFilesystem: flag,
  capabilities: opt(capabilities),
  allowPrivilegeEscalation: flag,
  ...known('privileged', 'seLinuxOptions', 'windowsOptions', 'procMount', 'seccompProfile', 'appArmorProfile'),
});
const podSecurity = z.strictObject({
  runAsUser: int64,
  runAsGroup: int64,
  runAsNonRoot: flag,
  fsGroup: int64,
  ...known('seLinuxOptions', 'windowsOptions', 'supplementalGroups', 'supplementalGroupsPolicy', 'sysctls'),
  ...known('fsGroupChangePolicy', 'seccompProfile', 'appArmorProfile', 'seLinuxChangePolicy'),
});

const resources = z.strictObject({ requests: quantities, limits: quantities, ...known('claims') });

const container = z.strictObject({
  name: text,
  image: text,
  command: texts,
  args: texts,
  workingDir: text,
  env: opt(z.array(env)),
  resources: opt(resources),
  ports: opt(z.array(port)),
  restartPolicy: text,
  terminationMessagePolicy: text,
  volumeMounts: opt(z.array(volumeMount)),
  securityContext: opt(containerSecurity),
  ...known('envFrom', 'resizePolicy', 'restartPolicyRules', 'volumeDevices'),
  ...known('livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'),
  imagePullPolicy: text,
  ...known('terminationMessagePath'),
  ...known('stdin', 'stdinOnce', 'tty'),
});

const emptyDir = z.strictObject({ sizeLimit: quantity, medium: text });
const hostPath = z.strictObject({ path: text, type: text });
const volume = z.strictObject({
  name: text,
  emptyDir: opt(emptyDir),
  hostPath: opt(hostPath),
  ...known('configMap', 'secret', 'downwardAPI', 'projected', 'persistentVolumeClaim', 'ephemeral', 'csi', 'nfs'),
  ...known('image', 'awsElasticBlockStore', 'azureDisk', 'azureFile', 'cephfs', 'cinder', 'fc'),
  ...known('flexVolume', 'flocker', 'gcePersistentDisk', 'gitRepo', 'glusterfs', 'iscsi', 'photonPersistentDisk'),
  ...known('portworxVolume', 'quobyte', 'rbd', 'scaleIO', 'storageos', 'vsphereVolume'),
});

const podSpec = z.strictObject({
  containers: opt(z.array(container)),
  initContainers: opt(z.array(container)),
  volumes: opt(z.array(volume)),
  restartPolicy: text,
  terminationGracePeriodSeconds: int64,
  activeDeadlineSeconds: int64,
  nodeSelector: textMap,
  affinity: opt(affinityShape),
  tolerations: opt(z.array(tolerationShape)),
  topologySpreadConstraints: opt(z.array(spreadShape)),
  priorityClassName: text,
  serviceAccountName: text,
  serviceAccount: text,
  imagePullSecrets: opt(z.array(z.strictObject({ name: text }))),
  securityContext: opt(podSecurity),
  subdomain: text,
  ...known('ephemeralContainers', 'dnsPolicy', 'automountServiceAccountToken', 'nodeName'),
  ...known('hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostname'),
  ...known('schedulerName', 'hostAliases', 'priority', 'dnsConfig'),
  ...known('readinessGates', 'runtimeClassName', 'enableServiceLinks', 'preemptionPolicy', 'overhead'),
  ...known('setHostnameAsFQDN', 'os', 'hostUsers', 'schedulingGates'),
  ...known('resourceClaims', 'resources', 'hostnameOverride'),
});

export const templateShape = z.strictObject({ metadata: opt(metadataShape), spec: opt(podSpec) });

/** The objects of the template whose fields are checked, by their names in pod-fields.ts. */
export const POD_SHAPES = {
  metadata: metadataShape,
  spec: podSpec,
  podSecurity,
  volume,
  emptyDir,
  hostPath,
  container,
  env,
  valueFrom,
  fieldRef,
  resourceFieldRef,
  secretKeyRef: keyRef,
  configMapKeyRef: keyRef,
  resources,
  port,
  volumeMount,
  containerSecurity,
  capabilities,
} as const;

export type TemplateShape = z.output<typeof templateShape>;
export type PodSpecShape = z.output<typeof podSpec>;
export type ContainerShape = z.output<typeof container>;
export type EnvShape = z.output<typeof env>;
export type VolumeShape = z.output<typeof volume>;
