import { describe, expect, test } from 'vitest';
import { parseDocument } from '../../../shared/schema/text/document.ts';
import { admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, admitted } from '../../support/job-document.ts';

/** Jobs of every kind that Kubernetes' documentation describes, as a user would write them. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'one Pod': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: digits
    spec:
      backoffLimit: 4
      template:
        spec:
          containers:
          - name: digits
            image: python:3.12
            command: [python3, -c, "print(22 / 7)"]
          restartPolicy: Never
  `,
  'many Pods at a time': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      generateName: thumbnails-
      labels: {app: thumbnails}
    spec:
      parallelism: 4
      completions: 12
      activeDeadlineSeconds: 3600
      ttlSecondsAfterFinished: 100
      template:
        metadata:
          labels: {app: thumbnails}
        spec:
          restartPolicy: OnFailure
          containers:
          - name: resize
            image: example.com/resize:1
  `,
  'a work queue': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: drain-queue
    spec:
      parallelism: 3
      template:
        spec:
          restartPolicy: OnFailure
          containers:
          - name: worker
            image: example.com/worker:1
            env:
            - {name: QUEUE, value: frames}
  `,
  Indexed: `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: shards
    spec:
      completionMode: Indexed
      completions: 5
      parallelism: 3
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: shard
            image: busybox
            command: [sh, -c, 'echo "shard $JOB_COMPLETION_INDEX"']
  `,
  'a pod failure policy': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: careful
    spec:
      completions: 12
      parallelism: 3
      backoffLimit: 6
      podReplacementPolicy: Failed
      podFailurePolicy:
        rules:
        - action: FailJob
          onExitCodes:
            containerName: main
            operator: In
            values: [42]
        - action: Ignore
          onPodConditions:
          - type: DisruptionTarget
        - action: Count
          onExitCodes:
            operator: NotIn
            values: [0, 42]
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: main
            image: bash:5
            command: [bash, -c, 'exit 42']
  `,
  'back-off for each index': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: suites
    spec:
      completionMode: Indexed
      completions: 10
      parallelism: 10
      backoffLimitPerIndex: 1
      maxFailedIndexes: 5
      podFailurePolicy:
        rules:
        - action: FailIndex
          onExitCodes:
            operator: In
            values: [3, 4]
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: suite
            image: example.com/suite:1
  `,
  'a success policy': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: leader
    spec:
      completionMode: Indexed
      completions: 10
      parallelism: 10
      successPolicy:
        rules:
        - succeededIndexes: 0,2-3
          succeededCount: 1
        - succeededCount: 7
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: main
            image: example.com/simulation:1
  `,
  suspended: `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: later
      annotations: {muster.run/disruptions: "losses=2"}
    spec:
      suspend: true
      parallelism: 1
      completions: 5
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: main
            image: busybox
            resources:
              requests: {cpu: 500m, memory: 64Mi}
  `,
  'with a selector of its own': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: renewed
    spec:
      manualSelector: true
      selector:
        matchLabels: {run-of: renewed}
        matchExpressions:
        - {key: run-of, operator: Exists}
      template:
        metadata:
          labels: {run-of: renewed}
        spec:
          restartPolicy: Never
          containers:
          - name: main
            image: busybox
  `,
  'a Pod with everything': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: everything
    spec:
      suspend: true
      template:
        metadata:
          annotations: {note: first try}
        spec:
          restartPolicy: OnFailure
          terminationGracePeriodSeconds: 60
          serviceAccountName: renderer
          nodeSelector: {kubernetes.io/arch: arm64, muster.run/capacity: spot}
          imagePullSecrets:
          - name: registry
          volumes:
          - name: scratch
            emptyDir: {}
          - name: large
            emptyDir: {sizeLimit: 30Gi}
          initContainers:
          - name: log
            image: busybox
            restartPolicy: Always
            securityContext: {runAsUser: 1000, runAsGroup: 1000, runAsNonRoot: true}
          - name: fetch
            image: busybox
            command: [sh, -c, 'echo frame > /scratch/frame']
            volumeMounts:
            - {name: scratch, mountPath: /scratch}
          containers:
          - name: main
            image: example.com/render:1
            workingDir: /scratch
            ports:
            - {name: http, containerPort: 8080}
            env:
            - name: POD
              valueFrom: {fieldRef: {fieldPath: metadata.name}}
            - name: TOKEN
              valueFrom: {secretKeyRef: {name: token, key: value}}
            - name: QUALITY
              valueFrom: {configMapKeyRef: {name: render, key: quality}}
            - {name: TITLE, value: 'render $(POD)'}
            resources:
              limits: {cpu: "1", memory: 2Gi}
            volumeMounts:
            - {name: scratch, mountPath: /scratch, readOnly: true}
            - {name: large, mountPath: /large}
            securityContext: {readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
  `,
  'run by somebody else': `
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: elsewhere
    spec:
      managedBy: kueue.x-k8s.io/multikueue
      podReplacementPolicy: TerminatingOrFailed
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: main
            image: busybox
  `,
};

function documentOfYaml(text: string): unknown {
  const parsed = parseDocument(text, 'yaml');
  if (parsed.kind !== 'parsed') throw new Error(parsed.reason);
  return parsed.value;
}

describe.each(Object.entries(EXAMPLES))('%s', (_, text) => {
  const { manifest, warnings } = admitted(documentOfYaml(text));

  test('is admitted, and nothing of it is lost', () => {
    expect(warnings).toEqual([]);
    const { metadata: _metadata, ...said } = documentOfYaml(text) as { metadata: unknown };
    expect(manifest).toMatchObject(said);
  });

  test('as it is stored it is admitted again, and nothing changes: every default is set', () => {
    const { metadata } = manifest;
    expect(admitted({ ...manifest, metadata: { ...metadata } }).manifest).toEqual(manifest);
    const stored = { manifest, uid: UID, started: true, deleting: false };
    expect(admitJobUpdate(stored, documentOf(stored), { fieldValidation: 'Strict' })).toEqual({
      kind: 'ok',
      manifest,
      warnings: [],
      changed: 'nothing',
    });
  });
});
