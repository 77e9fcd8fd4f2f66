import type { Terminal } from '../terminal.ts';
import { job, withValue } from './manifests.ts';

const LIMITS = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'usual' },
  spec: {
    limits: [
      { type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '250m' }, max: { memory: '1Gi' } },
      { type: 'Pod', max: { memory: '6Gi' } },
    ],
  },
};

/** What each container of a namespace gets and may have: made, shown, filled in, and in the way. */
export async function limitRanges(t: Terminal): Promise<void> {
  t.write('limits.yaml', LIMITS);
  await t.shows('create -f limits.yaml', 'limitrange/usual created');
  await t.shows('get limits', /^NAME +CREATED AT\nusual +TIME$/);
  await t.shows(
    'describe limits usual',
    /^Name: +usual\nNamespace: .*\nType +Resource +Min +Max +Default Request +Default Limit +Max Limit\/Request Ratio\n(-+ +)+-+\n(.*\n)*Container +cpu +- +- +250m +500m +-/,
  );
  t.write('plain.yaml', job('plain', 'true', {}));
  await t.shows('create -f plain.yaml', 'job.batch/plain created');
  await t.shows("get job plain -o jsonpath='{.spec.template.spec.containers[0].resources.requests.cpu}'", '250m');
  const large = withValue(job('large', 'true', {}), 'spec.template.spec.containers.0.resources', {
    limits: { memory: '4Gi' },
  });
  t.write('large.yaml', large);
  await t.shows(
    'create -f large.yaml',
    '! Error from server (Forbidden): error when creating "large.yaml": jobs.batch "large" is forbidden: maximum memory usage per Container is 1Gi, but limit is 4Gi\nexit 1',
  );
  await t.run('delete job plain');
  await t.shows('delete limits usual', /^limitrange "usual" deleted( from \S+ namespace)?$/);
}
