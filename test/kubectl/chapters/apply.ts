import type { Terminal } from '../terminal.ts';
import { heldJob, withValue } from './manifests.ts';

/** What client-side apply does: the client compares and sends strategic merge patches. */
export async function applyAndDiff(t: Terminal): Promise<void> {
  const pi = heldJob('pi', { parallelism: 1, completions: 4 });
  t.write('pi.yaml', pi);
  await t.shows('diff -f pi.yaml', /^diff -u -N \S+ \S+\n(.*\n)*\+kind: Job\n(.*\n)*exit 1$/);
  await t.shows('apply --dry-run=server -f pi.yaml', 'job.batch/pi created (server dry run)');
  await t.shows('apply --dry-run=client -f pi.yaml', 'job.batch/pi created (dry run)');
  await t.shows('apply -f pi.yaml', 'job.batch/pi created');
  await t.shows('apply -f pi.yaml', 'job.batch/pi unchanged');
  await t.shows('diff -f pi.yaml', '');
  t.write('pi.yaml', withValue(pi, 'spec.parallelism', 3));
  await t.shows('apply --dry-run=server -f pi.yaml', 'job.batch/pi configured (server dry run)');
  await t.shows(
    'diff -f pi.yaml',
    /^diff -u -N (.*\n)*-  generation: 1\n\+  generation: 2\n(.*\n)*-  parallelism: 1\n\+  parallelism: 3\n(.*\n)*exit 1$/,
  );
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '1');
  await t.shows('apply -f pi.yaml', 'job.batch/pi configured');
  await t.shows("get job pi -o jsonpath='{.spec.parallelism} {.metadata.generation}'", '3 2');
  // What was applied and is not any more goes; a default comes in its place.
  t.write('pi.yaml', withValue(heldJob('pi', { completions: 4 }), 'metadata.labels', { team: 'maths' }));
  await t.shows('apply -f pi.yaml', 'job.batch/pi configured');
  await t.shows("get job pi -o jsonpath='{.spec.parallelism} {.metadata.labels.team}'", '1 maths');
  await t.shows(
    'apply view-last-applied job pi -o yaml',
    /^apiVersion: batch\/v1\nkind: Job\nmetadata:\n  annotations: \{\}\n(.*\n)*    team: maths\n/,
  );

  const container = { name: 'main', image: 'alpine', command: ['true'] };
  t.write('pi.yaml', withValue(heldJob('pi', { completions: 4 }), 'spec.template.spec.containers', [container]));
  await t.shows(
    'apply -f pi.yaml',
    /^! The Job "pi" is invalid: spec.template: Invalid value: .*: field is immutable\nexit 1$/s,
  );
  await t.shows('get job pi -o jsonpath={.spec.template.spec.containers[0].image}', 'busybox');

  t.write('several.yaml', heldJob('one'), heldJob('two'));
  await t.shows('apply -f several.yaml', 'job.batch/one created\njob.batch/two created');
  t.write('several.yaml', heldJob('one'), heldJob('two', { parallelism: 2 }), heldJob('three'));
  await t.shows('apply -f several.yaml', 'job.batch/one unchanged\njob.batch/two configured\njob.batch/three created');

  // Made by `create`: the first apply says what it lacks and sets it.
  t.write('made.yaml', heldJob('made'));
  await t.run('create -f made.yaml');
  await t.shows(
    'apply -f made.yaml',
    /^! Warning: resource jobs\/made is missing the kubectl.kubernetes.io\/last-applied-configuration annotation .*\njob.batch\/made configured$/s,
  );
}

export async function applyServerSide(t: Terminal): Promise<void> {
  const pi = heldJob('pi', { parallelism: 1, completions: 4 });
  t.write('pi.yaml', pi);
  await t.shows('apply --server-side --dry-run=server -f pi.yaml', 'job.batch/pi serverside-applied (server dry run)');
  await t.shows('get jobs -o name', '');
  await t.shows('apply --server-side -f pi.yaml', 'job.batch/pi serverside-applied');
  await t.until('get job pi', 'Suspended');
  const before = await t.run('get job pi -o jsonpath={.metadata.resourceVersion}');
  await t.shows('apply --server-side -f pi.yaml', 'job.batch/pi serverside-applied');
  await t.shows('get job pi -o jsonpath={.metadata.resourceVersion}', before);
  await t.shows('diff --server-side -f pi.yaml', '');
  await t.shows(
    "get job pi -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation} {.apiVersion} {.fieldsType}{end}'",
    'kubectl Apply batch/v1 FieldsV1',
  );

  t.write('pi.yaml', withValue(pi, 'spec.parallelism', 3));
  await t.shows(
    'apply --server-side --field-manager=other -f pi.yaml',
    conflict('conflict with "kubectl": .spec.parallelism'),
  );
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '1');
  await t.shows(
    'apply --server-side --field-manager=other --force-conflicts -f pi.yaml',
    'job.batch/pi serverside-applied',
  );
  await t.shows('get job pi -o jsonpath={.spec.parallelism}', '3');
  // Who patches takes the field over; the manager is named with the version it wrote in.
  await t.shows('patch job pi --type=merge -p {"spec":{"parallelism":2}}', 'job.batch/pi patched');
  await t.shows(
    'apply --server-side --field-manager=other -f pi.yaml',
    conflict('conflict with "kubectl-patch" using batch/v1: .spec.parallelism'),
  );
  // What nobody applies any more goes.
  t.write('labelled.yaml', withValue(heldJob('kept'), 'metadata.labels', { a: '1', b: '2' }));
  await t.shows('apply --server-side -f labelled.yaml', 'job.batch/kept serverside-applied');
  t.write('labelled.yaml', withValue(heldJob('kept'), 'metadata.labels', { a: '1' }));
  await t.shows('apply --server-side -f labelled.yaml', 'job.batch/kept serverside-applied');
  await t.shows('get job kept -o jsonpath={.metadata.labels}', '{"a":"1"}');
}

/** kubectl's advice on conflicts (its own words since 1.18). */
function conflict(which: string): RegExp {
  const screen = `${`error: Apply failed with 1 ${which.replace(/^conflict /, 'conflict: conflict ')}
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See URL`.replaceAll(/^/gm, '! ')}
exit 1`;
  const literal = screen.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace('See URL', 'See https?://\\S+#conflicts')}$`);
}
