import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../../../schema/text/document.ts';
import { admitConfig, admitFuriko, admittedFuriko, furikoFaults, namedConfig } from '../furiko-document.ts';

function read(yaml: string): unknown {
  const parsed = parseDocument(yaml, 'yaml');
  if (parsed.kind !== 'parsed') throw new Error(parsed.reason);
  return parsed.value;
}

/** Each has the fields, kinds of values, and variables of one of upstream's samples and examples. */
const SAMPLE_JOB = `
apiVersion: execution.furiko.io/v1alpha1
kind: Job
metadata: {name: sample}
spec:
  type: Adhoc
  substitutions: {option.user-name: "Ada Byron", option.image-tag: "3.20"}
  template:
    maxAttempts: 3
    retryDelaySeconds: 15
    taskPendingTimeoutSeconds: 1800
    taskTemplate:
      pod:
        spec:
          restartPolicy: Never
          containers:
            - name: greeter
              args: [echo, "Good day, \${option.user-name}!"]
              env:
                - {name: JOB_NAME, value: "\${job.name}"}
                - {name: TASK_NAME, value: "\${task.name}"}
                - {name: TASK_RETRY_INDEX, value: "\${task.retry_index}"}
              image: "alpine:\${option.image-tag}"
              resources: {limits: {cpu: 100m, memory: 64Mi}}
`;

const INDEPENDENT_JOB = `
apiVersion: execution.furiko.io/v1alpha1
kind: Job
metadata: {generateName: independent-}
spec:
  substitutions: {option.username: Ada}
  template:
    parallelism: {withCount: 3, completionStrategy: AllSuccessful}
    maxAttempts: 3
    retryDelaySeconds: 10
    taskPendingTimeoutSeconds: 1800
    forbidTaskForceDeletion: true
    taskTemplate:
      pod:
        spec:
          containers:
            - name: greeter
              args: [echo, "Good day, \${option.username}!"]
              env:
                - {name: CONFIG, value: none}
                - {name: TASK_INDEX, value: "\${task.index_num}"}
              image: alpine
              resources: {limits: {cpu: 100m, memory: 64Mi}}
  ttlSecondsAfterFinished: 3600
`;

const SAMPLE_CONFIG = `
apiVersion: execution.furiko.io/v1alpha1
kind: JobConfig
metadata: {name: config}
spec:
  concurrency: {policy: Forbid, maxConcurrency: 1}
  schedule:
    cron: {expression: "H/15 * * * *", timezone: Asia/Singapore}
    constraints: {notBefore: "2022-01-01T00:00:00+08:00", notAfter: "2027-01-01T00:00:00+08:00"}
    disabled: false
  option:
    options:
      - {type: String, name: user-name, label: User, string: {default: Ada, trimSpaces: true}}
      - {type: Select, name: image-tag, label: Tag, select: {default: latest, values: [latest, "3.20"], allowCustom: true}}
  template:
    metadata: {annotations: {app.kubernetes.io/name: sample}}
    spec:
      maxAttempts: 3
      taskTemplate:
        pod:
          spec:
            containers:
              - name: greeter
                args: [echo, "Good day, \${option.user-name}!"]
                env:
                  - {name: CONFIG_NAME, value: "\${jobconfig.name}"}
                  - {name: CONFIG_NAMESPACE, value: "\${jobconfig.namespace}"}
                  - {name: TASK_NAME, value: "\${task.name}"}
                image: "alpine:\${option.image-tag}"
                resources: {limits: {cpu: 100m, memory: 64Mi}}
`;

const REFUND_CONFIG = `
apiVersion: execution.furiko.io/v1alpha1
kind: JobConfig
metadata: {name: config}
spec:
  option:
    options:
      - {name: customer, type: String, required: true}
      - {name: method, type: Select, required: true, select: {default: now, values: [now, later]}}
      - {name: dry_run, type: Bool, bool: {default: false, format: Custom, trueVal: "y", falseVal: "n"}}
  concurrency: {policy: Forbid}
  template:
    spec:
      taskTemplate:
        pod:
          spec:
            containers:
              - name: container
                image: bash
                command:
                  - bash
                  - "-c"
                  - |
                    if [[ "\${option.dry_run}" == "y" ]]; then exit 0; fi
                    today=$(date +%F-\${job.name})
                    case "\${option.method}" in
                      now) echo "refunding '\${option.customer}' at \${today} for \${HOME}";;
                    esac
`;

const CRON_CONFIG = (cron: string): string => `
apiVersion: execution.furiko.io/v1alpha1
kind: JobConfig
metadata: {name: config}
spec:
  schedule: {cron: {${cron}}}
  concurrency: {policy: Allow}
  template:
    spec:
      taskTemplate: {pod: {spec: {containers: [{name: container, image: alpine, command: [echo, Hello]}]}}}
`;

const OF_CONFIG = `
apiVersion: execution.furiko.io/v1alpha1
kind: Job
metadata: {generateName: config-}
spec:
  configName: config
`;

const CI_JOB = `
apiVersion: execution.furiko.io/v1alpha1
kind: Job
metadata: {name: ci}
spec:
  template:
    parallelism:
      withMatrix: {node: ["18", "20", "22"], os: [bookworm, alpine]}
      completionStrategy: AllSuccessful
    taskTemplate:
      pod:
        spec:
          containers:
            - name: test
              image: node:\${task.index_matrix.node}-\${task.index_matrix.os}
              command: [npm, test]
`;

describe('a Job as upstream’s samples and examples write it', () => {
  it.each([
    ['sample', SAMPLE_JOB],
    ['independent Job', INDEPENDENT_JOB],
    ['matrix of a CI', CI_JOB],
  ])('%s is admitted', (_, yaml) => {
    expect(furikoFaults(admitFuriko(read(yaml)))).toEqual([]);
  });

  it('has its variables', () => {
    const { manifest } = admittedFuriko(read(SAMPLE_JOB));
    expect(manifest.spec.template.spec.containers[0]).toMatchObject({
      image: 'alpine:3.20',
      args: ['echo', 'Good day, Ada Byron!'],
      env: [{ value: 'sample' }, { value: '$(MUSTER_POD_NAME)' }, { value: '$(MUSTER_RETRY_INDEX)' }],
    });
    expect(manifest.spec.backoffLimitPerIndex).toBe(2);
  });

  it('has an image for each cell of a matrix', () => {
    const { manifest } = admittedFuriko(read(CI_JOB));
    expect(manifest.spec.completions).toBe(6);
    expect(manifest.metadata.annotations?.['muster.run/matrix']).toBe(
      '{"values":[{"name":"index_matrix_node","values":["18","20","22"]},{"name":"index_matrix_os","values":["bookworm","alpine"]}],"image":"node:$(index_matrix_node)-$(index_matrix_os)"}',
    );
  });
});

describe('a JobConfig as upstream’s samples and examples write it', () => {
  it.each([
    ['sample', SAMPLE_CONFIG],
    ['options', REFUND_CONFIG],
    ['cron', CRON_CONFIG('expression: "0 */15 * * * * *", timezone: Asia/Singapore')],
    ['cron with hashes', CRON_CONFIG('expression: "H H * * *"')],
    ['several crons', CRON_CONFIG("expressions: ['0/30 10-19 * * *', '0 0/2 * * *'], timezone: Asia/Singapore")],
  ])('%s is admitted', (_, yaml) => {
    expect(furikoFaults(admitConfig(read(yaml)))).toEqual([]);
  });

  it('makes Jobs', () => {
    const config = namedConfig(read(SAMPLE_CONFIG));
    const { manifest } = admittedFuriko(read(OF_CONFIG), { config });
    expect(manifest.metadata).toMatchObject({
      name: 'config-x7k2z',
      annotations: { 'app.kubernetes.io/name': 'sample' },
    });
    expect(manifest.spec.template.spec.containers[0]?.image).toBe('alpine:latest');
  });

  it('makes Jobs that start later', () => {
    const document = read(`${OF_CONFIG}  startPolicy:
    concurrencyPolicy: Enqueue
    startAfter: 2022-03-06T00:27:00+08:00
`);
    const { furiko } = admittedFuriko(document, { config: namedConfig(read(SAMPLE_CONFIG)) });
    expect(furiko.spec.startPolicy).toEqual({ concurrencyPolicy: 'Enqueue', startAfter: '2022-03-05T16:27:00Z' });
  });

  it('makes Jobs with options, in scripts whose own variables stay', () => {
    const document = read(`${OF_CONFIG}  optionValues: |-
    customer: "123"
    method: later
`);
    const { manifest } = admittedFuriko(document, { config: namedConfig(read(REFUND_CONFIG)) });
    const script = manifest.spec.template.spec.containers[0]?.command?.[2] ?? '';
    expect(script).toContain('if [[ "n" == "y" ]]');
    expect(script).toContain("refunding '123' at ${today} for ${HOME}");
    // As Kubernetes reads it: $(date +%F-config-x7k2z).
    expect(script).toContain('today=$$(date +%F-config-x7k2z)');
  });
});

describe('what was proposed before', () => {
  it('is refused: a kind that never was', () => {
    const document = read(`
apiVersion: execution.furiko.io/v1alpha1
kind: ShardedSet
metadata: {name: shards}
spec: {parallelism: 5, retries: {maxAttemptsPerShard: 3}}
`);
    expect(admitFuriko(document)).toMatchObject({ kind: 'undecodable' });
  });

  it('is refused: its template, with the fields that are there now', () => {
    const document = read(`
apiVersion: execution.furiko.io/v1alpha1
kind: JobConfig
metadata: {name: config}
spec:
  concurrency: {policy: Forbid}
  template:
    spec:
      maxAttempts: 3
      task: {template: {parallel: {spec: {parallelism: 5}}}}
`);
    expect(furikoFaults(admitConfig(document))).toEqual([
      'spec.template.spec.task.template: Forbidden: it is called taskTemplate now, outside of task: put a Pod template into taskTemplate.pod',
    ]);
  });
});
