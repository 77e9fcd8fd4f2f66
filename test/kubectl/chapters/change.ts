import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ALocalRuntime } from '../../e2e/a-local-runtime.ts';
import type { Terminal } from '../terminal.ts';
import { heldJob, job, waitingFor, withValue } from './manifests.ts';

/** patch, label, annotate, suspend, resume, resize. */
export async function change(t: Terminal, { workspaceDir }: ALocalRuntime): Promise<void> {
  t.write('pi.yaml', heldJob('pi'));
  await t.run('create -f pi.yaml');
  await t.shows('patch job pi -p {"spec":{"parallelism":2}}', 'job.batch/pi patched');
  await t.shows('patch job pi -p {"spec":{"parallelism":2}}', 'job.batch/pi patched (no change)');
  await t.shows('patch job pi --type=merge -p {"spec":{"parallelism":3}}', 'job.batch/pi patched');
  await t.shows('patch job pi --type=merge -p {"spec":{"parallelism":3}}', 'job.batch/pi patched (no change)');
  await t.shows(
    'patch job pi --type=json -p [{"op":"replace","path":"/spec/parallelism","value":4}]',
    'job.batch/pi patched',
  );
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '4');
  await t.shows(
    'patch job pi -p {"spec":{"parallelism":-1}}',
    '! The Job "pi" is invalid: spec.parallelism: Invalid value: -1: must be greater than or equal to 0\nexit 1',
  );
  await t.shows(
    'patch job pi --type=json -p [{"op":"test","path":"/spec/parallelism","value":9}]',
    /^! The (request|Job "pi") is invalid: .+\nexit 1$/,
  );
  await t.shows('patch job nope -p {}', '! Error from server (NotFound): jobs.batch "nope" not found\nexit 1');
  await t.shows('patch job pi --dry-run=server -p {"spec":{"parallelism":9}}', 'job.batch/pi patched');
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '4');

  await t.shows('label job pi team=maths', 'job.batch/pi labeled');
  await t.shows(
    'label job pi team=maths',
    t.kubectl.minor >= 21
      ? 'job.batch/pi not labeled'
      : "! error: 'team' already has a value (maths), and --overwrite is false\nexit 1",
  );
  await t.shows(
    'label job pi team=art',
    "! error: 'team' already has a value (maths), and --overwrite is false\nexit 1",
  );
  await t.shows('label job pi team=art --overwrite', 'job.batch/pi labeled');
  await t.shows('get jobs -l team=art -o name', 'job.batch/pi');
  await t.shows('label job pi team-', t.kubectl.minor >= 22 ? 'job.batch/pi unlabeled' : 'job.batch/pi labeled');
  await t.shows('annotate job pi note=hello', 'job.batch/pi annotated');
  await t.shows('get job pi -o jsonpath={.metadata.annotations}', '{"note":"hello"}');
  await t.shows('annotate job pi note-', 'job.batch/pi annotated');
  await t.shows(
    'set image job/pi main=alpine',
    /^! (error: failed to patch image update to pod template: )?(The Job|Job.batch) "pi" is invalid: spec.template: Invalid value: .*: field is immutable\nexit 1$/s,
  );

  t.write(
    'run.yaml',
    job('run', waitingFor(`${t.namespace}-go`), { completionMode: 'Indexed', completions: 2, parallelism: 2 }),
  );
  await t.run('create -f run.yaml');
  await t.until('get job run -o jsonpath={.status.ready}', '2');
  await t.shows('patch job run -p {"spec":{"suspend":true}}', 'job.batch/run patched');
  await t.until('get job run', 'run   Suspended   0/2');
  await t.until('get job run -o jsonpath={.status.terminating}', '0');
  await t.shows('patch job run -p {"spec":{"suspend":false}}', 'job.batch/run patched');
  await t.until('get job run -o jsonpath={.status.ready}', '2');
  await t.shows('patch job run -p {"spec":{"completions":3,"parallelism":3}}', 'job.batch/run patched');
  await t.until('get job run -o jsonpath={.status.ready}', '3');
  await t.shows(
    'patch job run -p {"spec":{"completions":4}}',
    '! The Job "run" is invalid: spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism\nexit 1',
  );
  writeFileSync(join(workspaceDir, `${t.namespace}-go`), '');
  await t.shows('wait --for=condition=complete job/run --timeout=60s', 'job.batch/run condition met');
  await t.shows('get job run -o jsonpath={.status.completedIndexes}', '0-2');
}

export async function edit(t: Terminal): Promise<void> {
  t.write('pi.yaml', heldJob('pi', { parallelism: 1 }));
  await t.run('create -f pi.yaml');
  t.write('editor.sh', '#!/bin/sh\nsed -i "s/parallelism: 1/parallelism: 7/" "$1"\n');
  const editor = join(t.folder, 'editor.sh');
  await t.shows('edit job pi', 'job.batch/pi edited', { KUBE_EDITOR: editor });
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '7');
  await t.shows('edit job pi', '! Edit cancelled, no changes made.', { KUBE_EDITOR: editor });
  // What is refused comes back into the editor with the reason; who leaves it as it is has given up.
  t.write('wrong.sh', '#!/bin/sh\nsed -i "s/parallelism: 7/parallelism: -7/" "$1"; cat "$1" > seen\n');
  const screen = await t.run('edit job pi', { KUBE_EDITOR: join(t.folder, 'wrong.sh') });
  t.same(
    'edit job pi (with an invalid value)',
    screen,
    /spec.parallelism: Invalid value: -7|Edit cancelled, no valid changes were saved/,
  );
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '7');
}

export async function replace(t: Terminal): Promise<void> {
  const pi = heldJob('pi', { parallelism: 1 });
  t.write('pi.yaml', pi);
  await t.shows(
    'replace -f pi.yaml',
    '! Error from server (NotFound): error when replacing "pi.yaml": jobs.batch "pi" not found\nexit 1',
  );
  await t.run('create -f pi.yaml');
  t.write('pi.yaml', withValue(pi, 'spec.parallelism', 2));
  await t.until('get job pi', 'Suspended');
  const live = (await t.json('get job pi')) as { metadata: { resourceVersion: string }; spec: { parallelism: number } };
  live.spec.parallelism = 5;
  t.write('live.json', JSON.stringify(live));
  await t.shows('replace -f live.json', 'job.batch/pi replaced');
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '5');
  // The file still says what it was when it was read.
  await t.shows(
    'replace -f live.json',
    '! Error from server (Conflict): error when replacing "live.json": Operation cannot be fulfilled on jobs.batch "pi": the object has been modified; please apply your changes to the latest version and try again\nexit 1',
  );
  await t.shows('replace --force -f pi.yaml', /^job.batch "pi" deleted( from \S+ namespace)?\njob.batch\/pi replaced$/);
  await t.shows("get job pi -o jsonpath='{.spec.parallelism} {.metadata.generation}'", '2 1');
  await t.shows(
    'scale job pi --replicas=3',
    /^! (Error from server \(NotFound\): the server could not find the requested resource|error: .*)\nexit 1$/,
  );
}
