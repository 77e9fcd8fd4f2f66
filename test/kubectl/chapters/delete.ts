import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ALocalRuntime } from '../../e2e/a-local-runtime.ts';
import type { Terminal } from '../terminal.ts';
import { heldJob, job, waitingFor, withValue } from './manifests.ts';

export async function wait(t: Terminal, { workspaceDir }: ALocalRuntime): Promise<void> {
  t.write(
    'jobs.yaml',
    job('done', waitingFor(`${t.namespace}-go`)),
    job('bad', 'exit 3', { backoffLimit: 0 }),
    heldJob('held'),
  );
  await t.run('create -f jobs.yaml');
  const complete = t.start('wait --for=condition=complete job/done --timeout=60s');
  await t.shows('wait --for=condition=failed job/bad --timeout=60s', 'job.batch/bad condition met');
  await t.shows('wait --for=condition=suspended job/held --timeout=60s', 'job.batch/held condition met');
  await t.shows(
    'wait --for=condition=complete job/held --timeout=1s',
    /^! error: timed out waiting for the condition on jobs\/held\nexit 1$/,
  );
  await t.shows('wait --for=jsonpath={.status.failed}=1 job/bad --timeout=60s', 'job.batch/bad condition met');
  const succeeded = t.shows(
    'wait --for=jsonpath={.status.succeeded}=1 job/done --timeout=60s',
    'job.batch/done condition met',
  );
  writeFileSync(join(workspaceDir, `${t.namespace}-go`), '');
  await succeeded;
  t.same('wait --for=condition=complete job/done', await complete.ended, 'job.batch/done condition met');
  // It may be gone before that one has looked; 1.20 then complains.
  const gone = t.start('wait --for=delete job/held --timeout=60s');
  await t.shows('delete job held', /^job.batch "held" deleted/);
  t.same(
    'wait --for=delete job/held',
    await gone.ended,
    t.kubectl.minor >= 21 ? /^(job.batch\/held condition met)?$/ : /condition met|no matching resources found/,
  );
  await t.shows(
    'wait --for=condition=complete job/nope --timeout=1s',
    '! Error from server (NotFound): jobs.batch "nope" not found\nexit 1',
  );
  if (t.kubectl.minor >= 21) await t.shows('wait --for=delete job/nope --timeout=5s', '');
}

export async function remove(t: Terminal): Promise<void> {
  const deleted = (name: string): RegExp =>
    new RegExp(`^job.batch "${name}" deleted( from ${t.namespace} namespace)?$`);
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const labelled = names.map((name) =>
    withValue(job(name, 'exec sleep 300'), 'metadata.labels', { set: name < 'c' ? 'ab' : 'rest' }),
  );
  t.write('jobs.yaml', ...labelled);
  await t.run('create -f jobs.yaml');
  await t.until('get pods --field-selector=status.phase=Running -o name', /^(pod\S+\n?){9}$/);

  await t.shows('delete job a --dry-run=server', /^job.batch "a" deleted( from \S+ namespace)? \(server dry run\)$/);
  await t.shows('delete job a --dry-run=client', /^job.batch "a" deleted( from \S+ namespace)? \(dry run\)$/);
  await t.shows('get job a -o name', 'job.batch/a');
  await t.shows('delete job -l set=ab', /^job.batch "a" deleted.*\njob.batch "b" deleted.*$/);
  await t.shows('delete job c', deleted('c'));
  await t.shows('get job c', '! Error from server (NotFound): jobs.batch "c" not found\nexit 1');
  await t.shows('delete job c', '! Error from server (NotFound): jobs.batch "c" not found\nexit 1');
  await t.shows('delete job c --ignore-not-found', '');
  await t.shows('delete job d --cascade=foreground', deleted('d'));
  await t.shows('get pods -l job-name=d', `! No resources found in ${t.namespace} namespace.`);
  await t.shows('delete job e --cascade=background', deleted('e'));
  await t.shows('delete job f --cascade=orphan', /^! .*orphan.*exit 1$/is);
  await t.shows('get job f -o name', 'job.batch/f');
  await t.shows('delete job f --now', deleted('f'));
  await t.shows(
    'delete job g --force --grace-period=0',
    /^! [Ww]arning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\njob.batch "g" force deleted( from \S+ namespace)?$/,
  );
  await t.shows('delete job h --wait=false', deleted('h'));
  await t.shows('delete jobs --all', deleted('i'));
  await t.until('get pods', `No resources found in ${t.namespace} namespace.`);

  t.write('file.yaml', heldJob('file'));
  await t.run('create -f file.yaml');
  await t.shows('delete -f file.yaml', deleted('file'));

  // A Pod is an attempt: deleting it stops that one, and the Job makes another.
  t.write('pod.yaml', job('again', 'exec sleep 300'));
  await t.run('create -f pod.yaml');
  const pod = (await t.until('get pods -o name --field-selector=status.phase=Running', /^pod\//)).trim();
  const name = await t.run('get pods -o jsonpath={.items[0].metadata.uid}');
  t.same('get pods -o name', pod, 'pod/again-xxxxx');
  await t.shows('delete pod -l job-name=again --wait=false', /^pod "again-xxxxx" deleted/);
  await t.until('get pods -o jsonpath={.items[*].status.phase}', /^(Pending|Running)( (Pending|Running))?$/);
  t.same('get pods (uid)', name, 'UID');

  // A namespace goes with all that is in it.
  await t.run('create namespace doomed-' + t.namespace);
  await t.run(`create job inside --image=busybox --namespace=doomed-${t.namespace} -- sleep 300`);
  await t.shows(
    `delete namespace doomed-${t.namespace}`,
    new RegExp(`^(! [Ww]arning: deleting cluster-scoped resources.*\n)?namespace "doomed-${t.namespace}" deleted$`),
  );
  await t.shows(
    `get namespace doomed-${t.namespace}`,
    `! Error from server (NotFound): namespaces "doomed-${t.namespace}" not found\nexit 1`,
  );
}
