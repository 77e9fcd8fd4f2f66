import type { Terminal } from '../terminal.ts';
import { heldJob, job, withValue } from './manifests.ts';

export async function create(t: Terminal): Promise<void> {
  t.write('pi.yaml', heldJob('pi'));
  await t.shows('create --dry-run=client -f pi.yaml', 'job.batch/pi created (dry run)');
  await t.shows('create --dry-run=server -f pi.yaml', 'job.batch/pi created (server dry run)');
  await t.shows('create --dry-run=server -o name -f pi.yaml', 'job.batch/pi');
  await t.shows('get jobs', `! No resources found in ${t.namespace} namespace.`);
  await t.shows('create -f pi.yaml', 'job.batch/pi created');
  await t.shows(
    'create -f pi.yaml',
    '! Error from server (AlreadyExists): error when creating "pi.yaml": jobs.batch "pi" already exists\nexit 1',
  );
  t.write('some.yaml', withValue(heldJob('x'), 'metadata', { generateName: 'some-' }));
  await t.shows('create -f some.yaml', 'job.batch/some-xxxxx created');
  await t.shows('create -f some.yaml -o name', 'job.batch/some-xxxxx');
  t.write('several.yaml', heldJob('one'), heldJob('two'), heldJob('pi'));
  await t.shows(
    'create -f several.yaml',
    '! Error from server (AlreadyExists): error when creating "several.yaml": jobs.batch "pi" already exists\njob.batch/one created\njob.batch/two created\nexit 1',
  );
  t.write('elsewhere.yaml', withValue(heldJob('far'), 'metadata.namespace', 'default'));
  await t.shows(
    'create -f elsewhere.yaml',
    `! error: the namespace from the provided object "default" does not match the namespace "${t.namespace}". You must pass '--namespace=default' to perform this operation.\nexit 1`,
  );
}

export async function createFromCommands(t: Terminal): Promise<void> {
  await t.shows('create job hello --image=busybox -- echo hi', 'job.batch/hello created');
  await t.shows(
    'create job bare --image=busybox',
    /^! error: failed to create job: Job.batch "bare" is invalid: spec.template.spec.containers\[0\].command: Required value: .*\nexit 1$/,
  );
  const taken = '! error: failed to create job: jobs.batch "hello" already exists\nexit 1';
  await t.shows('create job hello --image=busybox -- echo hi', taken);
  await t.shows(
    'create job dry --image=busybox --dry-run=server -o yaml -- echo hi',
    /^apiVersion: batch\/v1\nkind: Job\nmetadata:\n  creationTimestamp: "TIME"\n(.*\n)*  name: dry\n/,
  );
  await t.shows('wait --for=condition=complete job/hello --timeout=60s', 'job.batch/hello condition met');
  await t.shows('logs job/hello', 'hi');
  await t.shows('get job hello -o jsonpath={.spec.template.spec.restartPolicy}', 'Never');
  await t.shows(
    'create namespace default',
    '! Error from server (AlreadyExists): namespaces "default" already exists\nexit 1',
  );
  await t.shows(`get namespace ${t.namespace}`, `NAME   STATUS   AGE\n${t.namespace}   Active   AGE`);
  await t.shows(
    'create job lost --image=busybox --namespace=no-such-place -- true',
    `! error: failed to create job: namespaces "no-such-place" not found\nexit 1`,
  );
  await t.shows(
    "create cronjob hourly --image=busybox --schedule='0 * * * *' -- echo tick",
    /^(! Warning: spec.schedule: .*\n)?cronjob.batch\/hourly created$/,
  );
  await t.shows('create job adhoc --from=cronjob/hourly', 'job.batch/adhoc created');
  if (t.kubectl.minor <= 20) return; // there is no CronJob
  await t.shows(
    "get job adhoc -o jsonpath='{.metadata.ownerReferences[0].kind} {.metadata.ownerReferences[0].name} {.metadata.annotations}'",
    'CronJob hourly {"cronjob.kubernetes.io/instantiate":"manual"}',
  );
  await t.shows('wait --for=condition=complete job/adhoc --timeout=60s', 'job.batch/adhoc condition met');
  await t.shows('logs job/adhoc', 'tick');
  await t.shows(
    'create job none --from=cronjob/nope',
    '! Error from server (NotFound): cronjobs.batch "nope" not found\nexit 1',
  );
  await t.shows(
    "create cronjob odd --image=busybox --schedule='not a time' -- true",
    /^! error: failed to create cronjob: CronJob.batch "odd" is invalid: spec.schedule: Invalid value: "not a time": .*\nexit 1$/,
  );
}

/** Unknown fields and values that no Job has. */
export async function validate(t: Terminal): Promise<void> {
  t.write('typo.yaml', heldJob('typo', { paralelism: 2 }));
  const warned = '! Warning: unknown field "spec.paralelism"\njob.batch/typo created';
  const strict =
    '! Error from server (BadRequest): error when creating "typo.yaml": Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.paralelism"\nexit 1';
  await t.shows('create --validate=strict -f typo.yaml', strict);
  await t.shows('get jobs -o name', '');
  await t.shows('create --validate=warn -f typo.yaml', warned);
  await t.run('delete job typo');
  await t.shows('create --validate=ignore -f typo.yaml', 'job.batch/typo created');
  t.write('invalid.yaml', job('invalid', 'true', { parallelism: -1, backoffLimit: -2 }));
  const causes = [
    '! The Job "invalid" is invalid:',
    '! * spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
    '! * spec.backoffLimit: Invalid value: -2: must be greater than or equal to 0',
    'exit 1',
  ].join('\n');
  await t.shows('create -f invalid.yaml', causes);
  await t.shows('apply -f invalid.yaml', causes);
  t.write('single.yaml', withValue(job('single'), 'spec.template.spec.restartPolicy', 'Always'));
  await t.shows(
    'create -f single.yaml',
    '! The Job "single" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"\nexit 1',
  );
  t.write('type.yaml', job('type', 'true', { parallelism: 'many' }));
  await t.shows(
    'create -f type.yaml',
    /^! Error from server \(BadRequest\): error when creating "type.yaml": Job in version "v1" cannot be handled as a Job: .*parallelism.*\nexit 1$/,
  );
  t.write('kind.yaml', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } });
  const unknown =
    t.kubectl.minor >= 25
      ? '! error: resource mapping not found for name: "web" namespace: "" from "kind.yaml": no matches for kind "Deployment" in version "apps/v1"\n! ensure CRDs are installed first\nexit 1'
      : '! error: unable to recognize "kind.yaml": no matches for kind "Deployment" in version "apps/v1"\nexit 1';
  await t.shows('create -f kind.yaml', unknown);
}
