import { type PlantedFault, one } from './planted-fault.ts';

/** Mistakes in what users see of a Job and of its Pods at the same moment. */
export const SHOWN_FAULTS: readonly PlantedFault[] = [
  one(
    'a Job shows what is committed, and its Pods what is published',
    'shared/kube/jobs/job-view.ts',
    'isPublished || mark?.shown === undefined ? null : { shown: mark.shown, seq: mark.seq };',
    'null;',
    ['G14'],
  ),
  one(
    'a Pod that ends while it is being deleted has ended before that is published',
    'shared/kube/pods/read-pods.ts',
    'if (!isPublishedStopping || !hasEnded(pod.state)) return pod;',
    'if (isPublishedStopping || !isPublishedStopping) return pod;',
    ['G14'],
  ),
];
