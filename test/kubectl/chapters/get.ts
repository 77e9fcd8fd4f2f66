import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ALocalRuntime } from '../../e2e/a-local-runtime.ts';
import type { Terminal } from '../terminal.ts';
import { heldJob, job, waitingFor, withValue } from './manifests.ts';

/** Tables, as a cluster prints them. */
export async function get(t: Terminal): Promise<void> {
  await t.shows('get jobs', `! No resources found in ${t.namespace} namespace.`);
  await t.shows('get jobs,pods,cronjobs', `! No resources found in ${t.namespace} namespace.`);
  await t.shows('get all', `! No resources found in ${t.namespace} namespace.`);
  await t.shows('get job nope', '! Error from server (NotFound): jobs.batch "nope" not found\nexit 1');
  await t.shows('get pod nope', '! Error from server (NotFound): pods "nope" not found\nexit 1');
  await t.shows('get things', '! error: the server doesn\'t have a resource type "things"\nexit 1');
  await threeJobs(t);
  const [bad, done, held] = [
    'bad   Failed   0/1   AGE   AGE',
    'done   Complete   2/2   AGE   AGE',
    'held   Suspended   0/1   AGE',
  ];
  const head = 'NAME   STATUS   COMPLETIONS   DURATION   AGE';
  await t.shows('get jobs', [head, bad, done, held].join('\n'));
  await t.shows('get jobs --chunk-size=1', [head, bad, done, held].join('\n'));
  await t.shows('get job done', [head, done].join('\n'));
  await t.shows('get jobs/done jobs/held', [head, done, held].join('\n'));
  await t.shows(
    'get job done nope',
    ['! Error from server (NotFound): jobs.batch "nope" not found', head, done, 'exit 1'].join('\n'),
  );
  await t.shows('get jobs --no-headers', [bad, done, held].join('\n'));
  await t.shows('get jobs -l team=maths', [head, done].join('\n'));
  await t.shows("get jobs -l 'team in (maths,art),team!=art'", [head, done].join('\n'));
  await t.shows("get jobs -l '!team'", [head, bad, held].join('\n'));
  await t.shows("get jobs -l 'a=b=c'", /^! Error from server \(BadRequest\): .*\nexit 1$/);
  await t.shows('get jobs --field-selector metadata.name=held', [head, held].join('\n'));
  await t.shows('get jobs --field-selector status.successful=2', [head, done].join('\n'));
  await t.shows(
    'get jobs --field-selector spec.suspend=true',
    '! Error from server (BadRequest): Unable to find "batch/v1, Resource=jobs" that match label selector "", field selector "spec.suspend=true": field label "spec.suspend" not supported for batchv1.Job\nexit 1',
  );
  await t.shows('get jobs --sort-by=.metadata.creationTimestamp --no-headers', /^(\S+ .*\n){2}\S+ .*$/);
  await t.shows('get jobs --sort-by={.spec.completions}', [head, bad, held, done].join('\n'));
  await t.shows('get jobs --show-labels -l team', `${head}   LABELS\n${done}   team=maths`);
  await t.shows('get jobs -L team -l team', `${head}   TEAM\n${done}   maths`);
  await t.shows(
    'get jobs -o wide -l team',
    `${head}   CONTAINERS   IMAGES   SELECTOR\n${done}   main   busybox   batch.kubernetes.io/controller-uid=UID`,
  );
  await t.shows(
    'get jobs -A -l team=maths --no-headers',
    new RegExp(`^${t.namespace}   done   Complete   2/2   AGE   AGE$`, 'm'),
  );

  const podHead = 'NAME   READY   STATUS   RESTARTS   AGE';
  await t.shows(
    'get pods -l job-name=done',
    [podHead, 'done-0-xxxxx   0/1   Completed   0   AGE', 'done-1-xxxxx   0/1   Completed   0   AGE'].join('\n'),
  );
  await t.shows('get po -l job-name=bad', [podHead, 'bad-xxxxx   0/1   Error   0   AGE'].join('\n'));
  await t.shows(
    'get pods -o wide -l job-name=bad',
    /^NAME   READY   STATUS   RESTARTS   AGE   IP   NODE   NOMINATED NODE   READINESS GATES   ITEM\nbad-xxxxx   0\/1   Error   0   AGE   \S+   \S+   <none>   <none>   <none>$/,
  );
  await t.shows('get pods --field-selector=status.phase=Failed --no-headers', 'bad-xxxxx   0/1   Error   0   AGE');
  await t.shows(
    'get pods --field-selector spec.image=x',
    '! Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.image=x": field label not supported: spec.image\nexit 1',
  );
  await t.shows(
    'get all',
    [
      podHead,
      'pod/bad-xxxxx   0/1   Error   0   AGE',
      'pod/done-0-xxxxx   0/1   Completed   0   AGE',
      'pod/done-1-xxxxx   0/1   Completed   0   AGE',
      '',
      head,
      `job.batch/${bad}`,
      `job.batch/${done}`,
      `job.batch/${held}`,
    ].join('\n'),
  );
  t.write('cron.yaml', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'hourly' },
    spec: { schedule: '0 * * * *', suspend: true, jobTemplate: { spec: (heldJob('x') as { spec: object }).spec } },
  });
  await t.shows('create -f cron.yaml', /^(! Warning: spec.schedule: .*\n)?cronjob.batch\/hourly created$/);
  await t.shows(
    'get cj',
    'NAME   SCHEDULE   TIMEZONE   SUSPEND   ACTIVE   LAST SCHEDULE   AGE\nhourly   0 * * * *   <none>   True   0   <none>   AGE',
  );
}

/** Every other form of `get`. */
export async function outputs(t: Terminal): Promise<void> {
  t.write('pi.yaml', withValue(heldJob('pi', { completions: 4 }), 'metadata.labels', { team: 'maths' }));
  await t.run('create -f pi.yaml');
  await t.until('get job pi', 'Suspended');
  await t.shows('get jobs -o name', 'job.batch/pi');
  await t.shows("get jobs -o jsonpath='{range .items[*]}{.metadata.name}={.spec.completions};{end}'", 'pi=4;');
  await t.shows("get job pi -o go-template='{{.kind}} {{.apiVersion}} {{.metadata.name}}'", 'Job batch/v1 pi');
  await t.shows(
    'get jobs -o custom-columns=N:.metadata.name,C:.spec.completions,X:.spec.none',
    'N   C   X\npi   4   <none>',
  );
  t.write('columns.txt', 'NAME PARALLELISM\n.metadata.name .spec.parallelism\n');
  await t.shows('get jobs -o custom-columns-file=columns.txt', 'NAME   PARALLELISM\npi   1');
  t.write('template.txt', '{{range .items}}{{.metadata.name}}{{end}}');
  await t.shows('get jobs -o go-template-file=template.txt', 'pi');
  await t.shows(
    'get --raw /apis/batch/v1/namespaces/nowhere/jobs',
    /^\{"kind":"JobList","apiVersion":"batch\/v1","metadata":\{"resourceVersion":"\d+"\},"items":\[\]\}$/,
  );
  const list = (await t.json('get jobs')) as { kind: string; items: readonly { kind: string }[] };
  t.same('get jobs -o json', `${list.kind} ${list.items[0]?.kind}`, 'List Job');
  const yaml = (await t.run('get job pi -o yaml')).replaceAll('"TIME"', 'TIME').replaceAll('"UID"', 'UID');
  t.same('get job pi -o yaml', asShownHere(yaml), asShownHere(PI_YAML.replaceAll('NAMESPACE', t.namespace)));
}

/**
 * As a cluster shows this Job: with all defaults, labels, and the state of a Job that was created suspended. But for one
 * default of ours, podReplacementPolicy (docs/departures.md).
 */
const PI_YAML = `apiVersion: batch/v1
kind: Job
metadata:
  creationTimestamp: TIME
  generation: 1
  labels:
    team: maths
  name: pi
  namespace: NAMESPACE
  resourceVersion: "RV"
  uid: UID
spec:
  backoffLimit: 6
  completionMode: NonIndexed
  completions: 4
  manualSelector: false
  parallelism: 1
  podReplacementPolicy: Failed
  selector:
    matchLabels:
      batch.kubernetes.io/controller-uid: UID
  suspend: true
  template:
    metadata:
      labels:
        batch.kubernetes.io/controller-uid: UID
        batch.kubernetes.io/job-name: pi
        controller-uid: UID
        job-name: pi
    spec:
      containers:
      - command:
        - sh
        - -c
        - echo hello
        image: busybox
        imagePullPolicy: Always
        name: main
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Never
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
status:
  conditions:
  - lastProbeTime: TIME
    lastTransitionTime: TIME
    message: Job suspended
    reason: JobSuspended
    status: "True"
    type: Suspended
  ready: 0
  terminating: 0
  uncountedTerminatedPods: {}`;

/** Defaults that mean nothing to a task: whether they are shown is all the same. */
const IDLE_DEFAULTS = new Set([
  'manualSelector: false',
  'imagePullPolicy: Always',
  'resources: {}',
  'terminationMessagePath: /dev/termination-log',
  'terminationMessagePolicy: File',
  'dnsPolicy: ClusterFirst',
  'schedulerName: default-scheduler',
  'securityContext: {}',
]);

/** Without what clients before 1.21 do not hide, and without idle defaults. */
function asShownHere(yaml: string): string {
  const lines = yaml.replace(/  managedFields:\n(  - .*\n|    .*\n)*/, '').split('\n');
  return lines.filter((line) => !IDLE_DEFAULTS.has(line.trim())).join('\n');
}

export async function watch(t: Terminal, { workspaceDir }: ALocalRuntime): Promise<void> {
  const script = waitingFor(`${t.namespace}-go`);
  t.write('pi.yaml', job('pi', script, { completionMode: 'Indexed', completions: 1 }));
  t.write('late.yaml', heldJob('late'));
  await t.run('create -f pi.yaml');
  await t.until('get job pi -o jsonpath={.status.ready}', '1');
  const all = t.start('get jobs -w');
  const one = t.start('get job pi -w');
  const names = t.start('get jobs -w -o name');
  const pods = t.start('get pods -w --output-watch-events');
  await Promise.all([all, one].map(async (each) => each.until('pi   Running   0/1')));
  await names.until('job.batch/pi');
  await pods.until('pi-0-xxxxx   1/1   Running');
  await t.run('create -f late.yaml');
  await all.until('late   Suspended   0/1');
  await names.until('job.batch/late');
  writeFileSync(join(workspaceDir, `${t.namespace}-go`), '');
  await Promise.all([all, one].map(async (each) => each.until('pi   Complete   1/1')));
  await pods.until('pi-0-xxxxx   0/1   Completed');
  await t.run('delete job pi late');
  await pods.until('DELETED   pi-0-xxxxx');
  const [seenOfAll, seenOfOne, seenOfPods] = [await all.interrupt(), await one.interrupt(), await pods.interrupt()];
  await names.interrupt();
  t.same('get jobs -w', seenOfAll.split('\n')[0]!, 'NAME   STATUS   COMPLETIONS   DURATION   AGE');
  t.same('get job pi -w', String(seenOfOne.includes('late')), 'false');
  t.same(
    'get pods -w --output-watch-events',
    seenOfPods.split('\n')[0]!,
    'EVENT   NAME   READY   STATUS   RESTARTS   AGE',
  );
}

/** One that is complete, one that failed, one that is suspended. */
async function threeJobs(t: Terminal): Promise<void> {
  const done = job('done', 'echo $JOB_COMPLETION_INDEX', { completionMode: 'Indexed', completions: 2, parallelism: 2 });
  t.write(
    'three.yaml',
    withValue(done, 'metadata.labels', { team: 'maths' }),
    job('bad', 'exit 3', { backoffLimit: 0 }),
    heldJob('held'),
  );
  await t.run('create -f three.yaml');
  await t.until('get jobs', /Failed(.*\n)+.*Complete(.*\n)+.*Suspended/);
}
