import type { Terminal } from '../terminal.ts';
import { job } from './manifests.ts';

/** What a namespace may use: made, shown, in the way, and raised. */
export async function quotas(t: Terminal): Promise<void> {
  await t.shows('create quota team --hard=pods=3,count/jobs.batch=2', 'resourcequota/team created');
  t.write('wide.yaml', job('wide', 'sleep 60', { completionMode: 'Indexed', completions: 2, parallelism: 2 }));
  await t.shows('create -f wide.yaml', 'job.batch/wide created');
  t.write('more.yaml', job('more', 'true', { completionMode: 'Indexed', completions: 2, parallelism: 2 }));
  await t.shows(
    'create -f more.yaml',
    '! Error from server (Forbidden): error when creating "more.yaml": jobs.batch "more" is forbidden: exceeded quota: team, requested: pods=2, used: pods=2, limited: pods=3\nexit 1',
  );
  await t.shows('get quota team', /^NAME +REQUEST +(LIMIT +)?AGE\nteam +count\/jobs.batch: 1\/2, pods: 2\/3 +/);
  await t.shows(
    'describe quota team',
    new RegExp(
      [
        '^Name: +team',
        `Namespace: +${t.namespace}`,
        'Resource +Used +Hard',
        '-+ +-+ +-+',
        'count/jobs.batch +1 +2',
        'pods +2 +3',
      ].join('\n'),
    ),
  );
  await t.shows('patch quota team -p \'{"spec":{"hard":{"pods":"4"}}}\'', 'resourcequota/team patched');
  await t.shows('create -f more.yaml', 'job.batch/more created');
  await t.shows(
    'create quota odd --hard=requests.storage=1Gi',
    /^! .*ResourceQuota "odd" is invalid: spec.hard\[requests.storage\]: Unsupported value: "requests.storage": supported values: .*\nexit 1$/,
  );
  await t.run('delete job wide more');
  await t.shows('delete quota team', /^resourcequota "team" deleted( from \S+ namespace)?$/);
}
