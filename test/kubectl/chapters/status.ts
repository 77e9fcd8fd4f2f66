import type { Terminal } from '../terminal.ts';
import { heldJob, job } from './manifests.ts';

/** From here on kubectl knows of subresources at all. */
const KNOWS_STATUS_MINOR = 24;
/** From here on `apply` knows of subresources. */
const APPLIES_STATUS_MINOR = 33;

/** A controller of one's own writes the status of its Jobs, as do those who note something on any Job. */
export async function status(t: Terminal): Promise<void> {
  t.write('far.yaml', job('far', 'echo hello', { managedBy: 'example.com/queue' }));
  await t.run('create -f far.yaml');
  await t.shows('get job far -o jsonpath={.status}', '{}');
  const start = '2024-01-01T00:00:00Z';
  const failing = [{ type: 'FailureTarget', status: 'True', reason: 'Gone', message: 'as a test wants it' }];
  const failed = [...failing, { ...failing[0], type: 'Failed' }];
  const patch = (said: object): string =>
    `patch job far --subresource=status --type=merge -p ${JSON.stringify({ status: said }).replaceAll(' ', '_')}`;
  await t.shows(patch({ startTime: start, active: 1 }), 'job.batch/far patched');
  if (t.kubectl.minor < KNOWS_STATUS_MINOR) return;
  await t.shows(patch({ startTime: start, active: 1 }), 'job.batch/far patched (no change)');
  await t.shows(
    patch({ conditions: failed }),
    '! The Job "far" is invalid: status.active: Invalid value: 1: active>0 is invalid for finished job\nexit 1',
  );
  await t.shows('get job far --subresource=status -o jsonpath={.status.active}', '1');
  const waiting = t.start('wait job/far --for=condition=failed --timeout=60s');
  await t.shows(patch({ active: 0, conditions: failed }), 'job.batch/far patched');
  t.same('wait job/far --for=condition=failed', await waiting.ended, 'job.batch/far condition met');
  await t.shows('get job far -o custom-columns=R:.status.conditions[1].reason --no-headers', 'Gone');
  await t.shows('get job far --show-managed-fields -o jsonpath={.metadata.managedFields[*].subresource}', 'status');

  t.write('near.yaml', heldJob('near'));
  await t.run('create -f near.yaml');
  await t.until('get job near -o jsonpath={.status.conditions[*].type}', 'Suspended');
  t.write('note.yaml', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'near', namespace: t.namespace },
    status: { conditions: [{ type: 'Audited', status: 'True' }] },
  });
  if (t.kubectl.minor < APPLIES_STATUS_MINOR) return;
  await t.shows('apply --server-side --subresource=status -f note.yaml', 'job.batch/near serverside-applied');
  await t.shows('get job near -o jsonpath={.status.conditions[*].type}', 'Suspended Audited');
}
