import type { Terminal } from '../terminal.ts';
import { waitingFor } from './manifests.ts';

const FURIKO = 'execution.furiko.io/v1alpha1';

const taskTemplate = (script: string) => ({
  pod: { spec: { containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }] } },
});

/** A Job of Furiko's, as its writer leaves it. */
const furikoJob = (name: string, script: string, template: object): object => ({
  apiVersion: FURIKO,
  kind: 'Job',
  metadata: { name },
  spec: { template: { taskTemplate: taskTemplate(script), ...template } },
});

/** Jobs of Furiko's from their manifest to their end, beside the Jobs of batch. */
export async function furikoJobs(t: Terminal): Promise<void> {
  await t.shows(
    'api-resources --api-group=execution.furiko.io --no-headers',
    new RegExp(
      [
        `^jobconfigs +furikojobconfig,furikojobconfigs +${FURIKO} +true +JobConfig`,
        `jobs +furikojob,furikojobs +${FURIKO} +true +Job$`,
      ].join('\n'),
    ),
  );
  await t.shows(
    'explain furikojob.spec.template.parallelism',
    /^GROUP: +execution.furiko.io\nKIND: +Job\nVERSION: +v1alpha1\n(.*\n)*FIELDS:\n  completionStrategy\t<string>\n(.*\n)*  withMatrix\t<map\[string\]\[\]string>\n/,
  );

  t.write(
    'keys.yaml',
    furikoJob('keys', 'echo ${task.index_key} ${task.name}', { parallelism: { withKeys: ['north', 'south'] } }),
  );
  await t.shows('apply -f keys.yaml', 'job.execution.furiko.io/keys created');
  await t.shows('apply -f keys.yaml', 'job.execution.furiko.io/keys unchanged');
  await t.until('get furikojob keys', 'Succeeded');
  await t.shows(
    'wait --for=jsonpath={.status.phase}=Succeeded furikojob/keys',
    'job.execution.furiko.io/keys condition met',
  );
  await t.shows(
    'get furikojobs',
    /^NAME +AGE +PHASE +CREATED TASKS +RUNNING TASKS +RUN TIME +FINISH TIME\nkeys +AGE +Succeeded +2 +0 +AGE$/,
  );
  await t.shows('get jobs', /^NAME +STATUS +COMPLETIONS +DURATION +AGE\nkeys +Complete +2\/2 +AGE +AGE$/);
  await t.shows(
    "get furikojob keys -o jsonpath='{range .status.tasks[*]}{.parallelIndex.indexKey} {.name} {.status.result};{end}'",
    // Older ones first; those of the same moment by index.
    /^(?=.*north keys-0-xxxxx Succeeded;)(?=.*south keys-1-xxxxx Succeeded;).{58,62}$/,
  );
  await t.shows('logs -l job-name=keys,batch.kubernetes.io/job-completion-index=1', 'south keys-1-xxxxx');
  await t.shows(
    'describe furikojob keys',
    /^Name: +keys\n(.*\n)*  Parallel Status:\n    Complete: +true\n(.*\n)*  Phase: +Succeeded\n(.*\n)*Events:\n(.*\n)* +Normal +Completed +AGE +job-controller +Job completed$/,
  );
  await t.shows('events --for furikojob/keys', /\n.* +Normal +Completed +Job\/keys +Job completed$/);
  await t.shows(
    `patch furikojob keys --type=merge -p '{"spec":{"template":{"maxAttempts":2}}}'`,
    '! The Job "keys" is invalid: spec.template.maxAttempts: Invalid value: 2: field is immutable\nexit 1',
  );
  await t.shows('delete job keys', /^job.batch "keys" deleted/);
  await t.shows('get furikojobs', `! No resources found in ${t.namespace} namespace.`);
}

/** A matrix that is watched, and killed. */
export async function killFurikoJob(t: Terminal): Promise<void> {
  const matrix = { os: ['mac', 'linux'], node: ['20', '18'] };
  t.write(
    'matrix.yaml',
    furikoJob('matrix', `echo \${task.index_matrix.os}; ${waitingFor('never')}`, {
      parallelism: { withMatrix: matrix },
    }),
  );
  await t.shows('create -f matrix.yaml', 'job.execution.furiko.io/matrix created');
  const watching = t.start('get furikojobs matrix -w');
  await t.until('get furikojob matrix', /Running +4 +4/);
  await t.shows(
    `patch furikojob matrix --type=merge -p '{"spec":{"killTimestamp":"2020-01-01T00:00:00Z"}}'`,
    'job.execution.furiko.io/matrix patched',
  );
  await t.until('get furikojob matrix', 'Killed');
  await watching.until('Killed');
  t.same(
    'get furikojobs matrix -w',
    await watching.interrupt(),
    /^NAME +AGE +PHASE (.*\n)*matrix +AGE +Running +4 +4 +AGE\n(.*\n)*matrix +AGE +Killed +4 +0 +AGE$/,
  );
  await t.shows(
    "get furikojob matrix -o jsonpath='{.status.condition.finished.result} {.status.tasks[0].deletedStatus.reason} {.status.parallelStatus.indexes[2].index.matrixValues}'",
    'Killed Killed {"node":"18","os":"mac"}',
  );
  await t.shows('delete furikojob matrix', /^job.execution.furiko.io "matrix" deleted/);
}

/** A JobConfig, and Jobs of it that wait for their turn. */
export async function jobConfigs(t: Terminal): Promise<void> {
  t.write('config.yaml', {
    apiVersion: FURIKO,
    kind: 'JobConfig',
    metadata: { name: 'greet' },
    spec: {
      template: { spec: { taskTemplate: taskTemplate(`echo hello \${option.who}; ${waitingFor('go')}`) } },
      concurrency: { policy: 'Enqueue' },
      option: { options: [{ type: 'String', name: 'who', string: { default: 'you' } }] },
    },
  });
  const run = (name: string): object => ({
    apiVersion: FURIKO,
    kind: 'Job',
    metadata: { name },
    spec: { configName: 'greet' },
  });
  t.write('runs.yaml', run('first'), run('second'));
  await t.shows('apply -f config.yaml', 'jobconfig.execution.furiko.io/greet created');
  await t.shows('create -f runs.yaml', 'job.execution.furiko.io/first created\njob.execution.furiko.io/second created');
  await t.until('get furikojobs', /^first +AGE +Running .*\nsecond +AGE +Queued /m);
  await t.until('get furikojobconfig greet', /^greet +AGE +Executing +1 +1 +AGE$/m);
  await t.until('logs -l job-name=first', 'hello you');
  await t.shows('delete furikojobconfig greet', /^jobconfig.execution.furiko.io "greet" deleted/);
  await t.until('get jobs,furikojobs,furikojobconfigs', `No resources found in ${t.namespace} namespace.`);
}
