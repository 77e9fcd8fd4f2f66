import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ALocalRuntime } from '../../e2e/a-local-runtime.ts';
import type { Terminal } from '../terminal.ts';
import { job, waitingFor } from './manifests.ts';

export async function logs(t: Terminal, { workspaceDir }: ALocalRuntime): Promise<void> {
  const go = `${t.namespace}-go`;
  const script = `echo one; echo two; echo three; ${waitingFor(go)}; echo four`;
  t.write(
    'jobs.yaml',
    job('pi', script),
    job('pair', 'echo index $JOB_COMPLETION_INDEX', { completionMode: 'Indexed', completions: 2, parallelism: 2 }),
  );
  await t.run('create -f jobs.yaml');
  await t.until('logs job/pi', 'three');
  const pod = (await t.json('get pods -l job-name=pi')) as { items: readonly { metadata: { name: string } }[] };
  const name = pod.items[0]!.metadata.name;
  await t.shows(`logs ${name}`, 'one\ntwo\nthree');
  await t.shows(`logs ${name} --tail=1`, 'three');
  await t.shows(`logs ${name} -c main --tail=2`, 'two\nthree');
  await t.shows(`logs ${name} --since=1h`, 'one\ntwo\nthree');
  await t.shows(`logs ${name} --since-time=2001-01-01T00:00:00Z`, 'one\ntwo\nthree');
  await t.shows(`logs ${name} --since-time=2101-01-01T00:00:00Z`, '');
  await t.shows(`logs ${name} --timestamps --tail=1`, 'TIME three');
  await t.shows(`logs ${name} --limit-bytes=4`, 'one');
  await t.shows(
    `logs ${name} -c sidecar`,
    /^! [Ee]rror: (container sidecar is not valid for pod|.*container sidecar is not valid for pod) \S+( out of: main)?\nexit 1$|^! Error from server \(BadRequest\): container sidecar is not valid for pod \S+\nexit 1$/,
  );
  await t.shows(
    `logs ${name} --previous`,
    `! Error from server (BadRequest): previous terminated container "main" in pod "pi-xxxxx" not found\nexit 1`,
  );
  await t.shows(
    'logs nope',
    /^! (Error from server|error: error from server) \(NotFound\): pods "nope" not found( in namespace ".*")?\nexit 1$/,
  );
  await t.shows(
    'logs job/nope',
    /^! (Error from server|error: error from server) \(NotFound\): jobs.batch "nope" not found( in namespace ".*")?\nexit 1$/,
  );
  const following = t.start(`logs -f ${name}`);
  const ofJob = t.start('logs -f job/pi');
  await following.until('three');
  await ofJob.until('three');
  writeFileSync(join(workspaceDir, go), '');
  t.same('logs -f POD', await following.ended, 'one\ntwo\nthree\nfour');
  t.same('logs -f job/pi', await ofJob.ended, 'one\ntwo\nthree\nfour');
  await t.until('get job pair', 'Complete');
  const both = (await t.run('logs -l job-name=pair')).split('\n').toSorted().join('\n');
  t.same('logs -l job-name=pair', both, 'index 0\nindex 1');
  await t.shows('logs -l batch.kubernetes.io/job-completion-index=1', 'index 1');
  const prefixed = t.kubectl.minor >= 20 ? await t.run('logs -l job-name=pair --prefix') : '';
  t.same(
    'logs --prefix',
    prefixed.split('\n').toSorted().join('\n'),
    /^\[pod\/pair-0-\w{5}\/main\] index 0\n\[pod\/pair-1-\w{5}\/main\] index 1$/,
  );
}
