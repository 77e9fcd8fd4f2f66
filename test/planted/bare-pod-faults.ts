import { type PlantedFault, one } from './planted-fault.ts';

const JOB = 'shared/domain/manifests/job.ts';
const ADMIT_POD = 'shared/schema/bare-pod/admit-pod.ts';
const POD_DELETE = 'shared/kube/pods/pod-delete.ts';

/** Mistakes with Pods that no Job owns. */
export const BARE_POD_FAULTS: readonly PlantedFault[] = [
  one(
    'a bare Pod that infrastructure takes is started again',
    JOB,
    "...(isBarePod(metadata) ? { disruptions: { kind: 'count' } as const } : {}),",
    '...(isBarePod(metadata) ? {} : {}),',
    ['G29'],
  ),
  one('a bare Pod is tried again, as a Job is', ADMIT_POD, 'backoffLimit: 0,', 'backoffLimit: 6,', ['G29']),
  one('restarts of a bare Pod count against its limit', JOB, 'barePod: isBarePod(metadata),', 'barePod: false,', [
    'G29',
  ]),
  one(
    'a bare Pod is never restarted',
    ADMIT_POD,
    "const policy = spec?.restartPolicy === 'OnFailure' ? 'OnFailure' : 'Never';",
    "const policy = 'Never';",
    ['G29'],
  ),
  one(
    'a bare Pod that was given time is gone at once',
    POD_DELETE,
    'const isAtOnce = graceSec === 0 || hasEnded(pod);',
    'const isAtOnce = true;',
    ['G29'],
  ),
  one(
    'a bare Pod that is deleted at once stays until it has stopped',
    POD_DELETE,
    'const isAtOnce = graceSec === 0 || hasEnded(pod);',
    'const isAtOnce = hasEnded(pod);',
    ['G29'],
  ),
  {
    name: 'a list of Jobs has bare Pods',
    edits: [
      {
        file: 'shared/kube/list/list-page.ts',
        find: "const found = which === 'stored' ? page.jobs : page.jobs.filter((ref) => !isBarePod(ref));",
        replace: 'const found = page.jobs;',
      },
      {
        file: 'shared/kube/jobs/list-jobs.ts',
        find: '(scope.name ?? job.name) === job.name && !isBarePod(job);',
        replace: '(scope.name ?? job.name) === job.name;',
      },
    ],
    breaks: ['G29'],
  },
  one(
    'a Pod is looked for only among those of Jobs',
    'shared/kube/pods/find-pod.ts',
    'yield* jobRefs(jobs, { namespace, name: jobNameOfPod(podName) }, null);',
    "yield* jobRefs(jobs, { namespace, name: jobNameOfPod(podName) }, null, 'jobs');",
    ['G29', 'G8'],
  ),
];
