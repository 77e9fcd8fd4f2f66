import type { Terminal } from '../terminal.ts';
import { heldJob, job, withValue } from './manifests.ts';

/** The page on a Job that is over, on its Pod, on a CronJob and on a namespace. */
export async function describeObjects(t: Terminal): Promise<void> {
  const pi = job('pi', 'echo hello', { completionMode: 'Indexed', completions: 2, parallelism: 2 });
  t.write('pi.yaml', withValue(pi, 'metadata.annotations', { note: 'hello' }));
  await t.run('create -f pi.yaml');
  await t.until('get job pi', 'Complete');
  await t.shows(
    'describe job pi',
    since21(t) ? describedJob(t) : /^Name: +pi\n(.*\n)*Pods Statuses: +0 Running \/ 2 Succeeded \/ 0 Failed\n/,
  );
  await t.shows(
    'describe pods -l batch.kubernetes.io/job-completion-index=0',
    new RegExp(
      [
        '^Name: +pi-0-xxxxx',
        `Namespace: +${t.namespace}`,
        '(.*\n)*Labels: +batch.kubernetes.io/controller-uid=UID\n +batch.kubernetes.io/job-completion-index=0\n +batch.kubernetes.io/job-name=pi\n +controller-uid=UID\n +job-name=pi',
        'Annotations: +batch.kubernetes.io/job-completion-index: 0',
        '(.*\n)*Status: +Succeeded',
        '(.*\n)*Controlled By: +Job/pi',
        'Containers:\n +main:\n',
      ].join('\n'),
    ),
  );
  await t.shows('describe job nope', '! Error from server (NotFound): jobs.batch "nope" not found\nexit 1');
  await t.shows(
    `describe namespace ${t.namespace}`,
    new RegExp(
      `^Name: +${t.namespace}\nLabels: +kubernetes.io/metadata.name=${t.namespace}\nAnnotations: +<none>\nStatus: +Active`,
    ),
  );
  t.write('cron.yaml', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'hourly' },
    spec: {
      schedule: '0 * * * *',
      timeZone: 'Etc/UTC',
      suspend: true,
      jobTemplate: { spec: (heldJob('x') as { spec: object }).spec },
    },
  });
  await t.run('create -f cron.yaml');
  await t.shows(
    'describe cronjob hourly',
    new RegExp(
      [
        '^Name: +hourly',
        `Namespace: +${t.namespace}`,
        'Labels: +<none>',
        'Annotations: +<none>',
        'Schedule: +0 \\* \\* \\* \\*',
        ...(t.kubectl.minor >= 25
          ? ['(Time Zone: +Etc/UTC\n)?Concurrency Policy: +Allow']
          : ['Concurrency Policy: +Allow']),
        'Suspend: +True',
        'Successful Job History Limit: +3',
        'Failed Job History Limit: +1',
        'Starting Deadline Seconds: +<unset>',
      ].join('\n'),
    ),
  );
}

const since21 = (t: Terminal): boolean => t.kubectl.minor >= 24;

function describedJob(t: Terminal): RegExp {
  const wide = t.kubectl.minor >= 27;
  const lines = [
    'Name: +pi',
    `Namespace: +${t.namespace}`,
    'Selector: +batch.kubernetes.io/controller-uid=UID',
    // As in a cluster: who gives none gets the template's.
    'Labels: +batch.kubernetes.io/controller-uid=UID\n +batch.kubernetes.io/job-name=pi\n +controller-uid=UID\n +job-name=pi',
    'Annotations: +note: hello',
    'Parallelism: +2',
    'Completions: +2',
    'Completion Mode: +Indexed',
    ...(wide ? ['Suspend: +false', 'Backoff Limit: +6'] : []),
    'Start Time: +TIME',
    'Completed At: +TIME',
    'Duration: +(AGE|0s)',
    'Pods Statuses: +0 Active \\(0 Ready\\) / 2 Succeeded / 0 Failed',
    'Completed Indexes: +0,1',
    'Pod Template:',
    '  Labels: +batch.kubernetes.io/controller-uid=UID\n +batch.kubernetes.io/job-name=pi\n +controller-uid=UID\n +job-name=pi',
    '  Containers:',
    '   main:',
    '    Image: +busybox',
    '    Port: +<none>',
    '    Host Port: +<none>',
    '    Command:\n +sh\n +-c\n +echo hello',
    '    Environment: +<none>',
    '    Mounts: +<none>',
    '  Volumes: +<none>',
    ...(t.kubectl.minor >= 30 ? ['  Node-Selectors: +<none>', '  Tolerations: +<none>'] : []),
    'Events:',
    '  Type +Reason +Age +From +Message',
    '  ---- +------ +---- +---- +-------',
    '  Normal +SuccessfulCreate +AGE +job-controller +Created pod: pi-[01]-xxxxx',
    '  Normal +SuccessfulCreate +AGE +job-controller +Created pod: pi-[01]-xxxxx',
    '  Normal +Completed +AGE +job-controller +Job completed',
  ];
  return new RegExp(`^${lines.join('\n')}$`);
}

export async function events(t: Terminal): Promise<void> {
  t.write('jobs.yaml', job('pi'), job('other', 'exit 3', { backoffLimit: 0 }));
  await t.run('create -f jobs.yaml');
  await t.until('get job pi', 'Complete');
  await t.until('get job other', 'Failed');
  const head = 'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE';
  const ofPi = [
    'AGE   Normal   SuccessfulCreate   job/pi   Created pod: pi-xxxxx',
    'AGE   Normal   Completed   job/pi   Job completed',
  ];
  await t.shows('get events --field-selector involvedObject.name=pi', [head, ...ofPi].join('\n'));
  await t.shows(
    'get ev --field-selector involvedObject.name=pi,involvedObject.kind=Job,type=Normal --no-headers',
    ofPi.join('\n'),
  );
  // This command writes the kind as it is.
  await t.shows('events --for job/pi', [head, ...ofPi].join('\n').replaceAll('job/pi', 'Job/pi'));
  await t.shows(
    'events --for job/other --types=Warning',
    /^LAST SEEN.*\nAGE   Warning   PodFailed   Job\/other   Pod other-xxxxx failed: exit code 3\nAGE   Warning   BackoffLimitExceeded   Job\/other   Job has reached the specified backoff limit$/,
  );
  await t.shows('events', /SuccessfulCreate/);
  await t.shows(
    'get events --field-selector reason=BackoffLimitExceeded -o jsonpath={.items[0].involvedObject.name}',
    'other',
  );
  await t.shows('get events --sort-by=.lastTimestamp --no-headers', /job\/pi/);
  await t.shows(
    "get events -o jsonpath='{.items[0].source.component} {.items[0].reportingComponent}'",
    /^job-controller/,
  );
}

export async function explain(t: Terminal): Promise<void> {
  const recent = t.kubectl.minor >= 29;
  await t.shows(
    'explain job',
    recent
      ? /^GROUP: +batch\nKIND: +Job\nVERSION: +v1\n\nDESCRIPTION:\n/
      : /^KIND: +Job\nVERSION: +batch\/v1\n\nDESCRIPTION:\n/,
  );
  await t.shows('explain job.spec', /^ {2}(backoffLimit)\t<integer>$/m);
  await t.shows(
    'explain job.spec.completions',
    recent ? /^FIELD: completions <integer>$/m : /^FIELD: +completions <integer>$/m,
  );
  await t.shows('explain job.spec.podFailurePolicy.rules.onExitCodes', /^ {2}operator\t<string> -required-$/m);
  await t.shows('explain cronjob.spec.schedule', /^FIELD: +schedule <string>/m);
  await t.shows('explain pod.spec.containers.image', /^FIELD: +image <string>/m);
  await t.shows(
    'explain job.spec.nothing',
    /^! error: field "nothing" does not exist\n(GROUP.*\nKIND.*\nVERSION.*\n)?exit 1$/,
  );
  if (recent)
    await t.shows(
      'explain job --recursive',
      /^ {2}spec\t<JobSpec>$(.*\n)*^ {4}template\t<PodTemplateSpec> -required-$/m,
    );
}
