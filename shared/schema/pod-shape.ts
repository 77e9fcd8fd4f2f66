import { z } from 'zod';
import { int64, known, opt, quantities, text, textMap, texts } from './json-fields.ts';

/** What a pod template looks like from outside: every field that Kubernetes 1.34's PodTemplateSpec has. */

export const metadataShape = z.strictObject({
  name: text,
  generateName: text,
  namespace: text,
  labels: textMap,
  annotations: textMap,
  resourceVersion: text,
  // The server's own: reset by Kubernetes on create, too.
  ...known('uid', 'creationTimestamp', 'generation', 'selfLink', 'managedFields'),
  ...known('deletionTimestamp', 'deletionGracePeriodSeconds'),
  ...known('finalizers', 'ownerReferences'),
});

const env = z.strictObject({ name: text, value: text, ...known('valueFrom') });

const container = z.strictObject({
  name: text,
  image: text,
  command: texts,
  args: texts,
  workingDir: text,
  env: opt(z.array(env)),
  resources: opt(z.strictObject({ requests: quantities, limits: quantities, ...known('claims') })),
  ...known('ports', 'envFrom', 'resizePolicy', 'restartPolicy', 'restartPolicyRules', 'volumeMounts', 'volumeDevices'),
  ...known('livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'),
  ...known('terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy', 'securityContext'),
  ...known('stdin', 'stdinOnce', 'tty'),
});

const podSpec = z.strictObject({
  containers: opt(z.array(container)),
  initContainers: opt(z.array(container)),
  restartPolicy: text,
  terminationGracePeriodSeconds: int64,
  ...known(
    'volumes',
    'ephemeralContainers',
    'activeDeadlineSeconds',
    'dnsPolicy',
    'nodeSelector',
    'serviceAccountName',
  ),
  ...known('serviceAccount', 'automountServiceAccountToken', 'nodeName', 'hostNetwork', 'hostPID', 'hostIPC'),
  ...known('shareProcessNamespace', 'securityContext', 'imagePullSecrets', 'hostname', 'subdomain', 'affinity'),
  ...known('schedulerName', 'tolerations', 'hostAliases', 'priorityClassName', 'priority', 'dnsConfig'),
  ...known('readinessGates', 'runtimeClassName', 'enableServiceLinks', 'preemptionPolicy', 'overhead'),
  ...known('topologySpreadConstraints', 'setHostnameAsFQDN', 'os', 'hostUsers', 'schedulingGates'),
  ...known('resourceClaims', 'resources', 'hostnameOverride'),
});

export const templateShape = z.strictObject({ metadata: opt(metadataShape), spec: opt(podSpec) });

export type PodSpecShape = z.output<typeof podSpec>;
export type ContainerShape = z.output<typeof container>;
export type TemplateShape = z.output<typeof templateShape>;
