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
  one(
    'a Pod that users remove counts once more',
    'shared/control/lifecycle/remove-pods.ts',
    'const next = { ...nextVersion(status, deps.clock.now()), journal };',
    'const next = { ...nextVersion(status, deps.clock.now()), journal, failed: status.failed + pods.length };',
    ['G2'],
  ),
  one(
    'what users remove may still run',
    'shared/kube/pods/ended-pods.ts',
    'return record === null || record.attempt !== attempt || !hasPod(record.state);',
    'return record === null || record.attempt !== attempt || hasPod(record.state);',
    ['G14'],
  ),
  one(
    'of two who remove a Pod both do',
    'shared/kube/pods/ended-pods.ts',
    ' && !isRemoved(view.status.journal, pod)',
    '',
    ['G14'],
  ),
  one(
    'a Pod that is replaced at once is in no list while its task stops',
    'shared/domain/planner/fold-facts.ts',
    "this.#board.apply({ op: 'lingers', index, attempt });",
    '',
    ['G14'],
    'replacesAtOnce',
  ),
  one(
    'a Pod that was replaced is listed for ever',
    'shared/domain/planner/fold-facts.ts',
    "if (this.#board.record(index) !== null) this.#board.apply({ op: 'removed', index, attempt });",
    '',
    ['G14'],
    'replacesAtOnce',
  ),
  one(
    'a new Job is stored without its first Pods',
    'shared/control/lifecycle/first-status.ts',
    'if (plan === null) return',
    'if (plan?.status !== fresh) return',
    ['G14'],
  ),
  one(
    'the first Pods of a new Job are not on its board',
    'shared/domain/planner/first-pods.ts',
    'alarms: fresh.alarms,',
    'alarms: fresh.alarms, chunks: fresh.chunks,',
    ['G2'],
  ),
];
