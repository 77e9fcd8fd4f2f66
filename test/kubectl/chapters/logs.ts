import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ALocalRuntime } from '../../e2e/a-local-runtime.ts';
import type { Terminal } from '../terminal.ts';
import { job, waitingFor, withValue } from './manifests.ts';

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
  await t.shows(`logs ${name} --since=1h --tail=2`, 'three\nfour');
  // What was printed is older than this by and by.
  t.same('logs --since', await t.until(`logs ${name} --since=1s`, /^$/), '');
  await t.until('get job pair', 'Complete');
  const both = (await t.run('logs -l job-name=pair')).split('\n').toSorted().join('\n');
  t.same('logs -l job-name=pair', both, 'index 0\nindex 1');
  await t.shows('logs -l batch.kubernetes.io/job-completion-index=1', 'index 1');
  await sinceTimes(t, workspaceDir);
  await beforeARestart(t, workspaceDir);
  const prefixed = t.kubectl.minor >= 20 ? await t.run('logs -l job-name=pair --prefix') : '';
  t.same(
    'logs --prefix',
    prefixed.split('\n').toSorted().join('\n'),
    /^\[pod\/pair-0-\w{5}\/main\] index 0\n\[pod\/pair-1-\w{5}\/main\] index 1$/,
  );
}

/** `--since-time` leaves out a line that was printed seconds before that time. */
async function sinceTimes(t: Terminal, workspaceDir: string): Promise<void> {
  const go = `${t.namespace}-go-late`;
  t.write('late.yaml', job('late', `echo old; ${waitingFor(go)}; printf 'new\\n\\n  last'`));
  await t.run('create -f late.yaml');
  await t.until('logs job/late', 'old');
  await sleep(2_000);
  writeFileSync(join(workspaceDir, go), '');
  await t.until('get job late', '1/1');
  const [time = ''] = (await t.text('logs job/late --timestamps --tail=3')).split(' ');
  await t.shows(`logs job/late --since-time=${time}`, 'new\n\n  last');
  await t.shows('logs job/late --tail=0', '');
  await t.shows('logs job/late --tail=2 --limit-bytes=4', '\n  l');
}

/** What a container has printed before it was started again. */
async function beforeARestart(t: Terminal, workspaceDir: string): Promise<void> {
  const [go, tried] = [`${t.namespace}-go-again`, `${t.namespace}-tried`];
  const script = `if [ -e ${tried} ]; then echo second; ${waitingFor(go)}; exit 0; fi; touch ${tried}; echo first; exit 3`;
  t.write('again.yaml', withValue(job('again', script), 'spec.template.spec.restartPolicy', 'OnFailure'));
  await t.run('create -f again.yaml');
  await t.until('logs job/again', 'second');
  await t.shows('logs job/again -p', 'first');
  await t.shows('logs job/again --previous --timestamps', 'TIME first');
  const following = t.start('logs -f job/again');
  await following.until('second');
  writeFileSync(join(workspaceDir, go), '');
  t.same('logs -f of the last start', await following.ended, 'second');
}
