import type { EpochMs } from '../../domain/base/time.ts';
import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import type { Labels } from '../../domain/manifests/manifest.ts';
import { ageOf, humanDuration, msOf } from '../list/ages.ts';
import { AGE, NAME, type Printer, type RowCondition, text, wide } from '../list/printer.ts';

type Terminated = {
  readonly exitCode: number;
  readonly reason?: string;
  readonly signal?: number;
  readonly finishedAt?: string | null;
};
type ContainerState = {
  readonly waiting?: { readonly reason?: string };
  readonly running?: unknown;
  readonly terminated?: Terminated;
};
type ContainerStatus = {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
};
type Condition = { readonly type: string; readonly status: string; readonly reason?: string };

/** What a Pod's row shows. */
export type PrintedPod = {
  readonly metadata: {
    readonly name: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string | undefined;
    readonly annotations?: Labels | undefined;
  };
  readonly spec: {
    readonly containers: readonly unknown[];
    readonly initContainers?:
      | readonly { readonly name: string; readonly restartPolicy?: string | undefined }[]
      | undefined;
    readonly nodeName?: string | undefined;
    readonly readinessGates?: readonly { readonly conditionType: string }[] | undefined;
  };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly nominatedNodeName?: string;
  };
};

/** Pods as rows (Kubernetes 1.34's printPod). */
export const POD_PRINTER: Printer<PrintedPod> = {
  columns: [
    NAME,
    text('Ready', 'How many of its containers are ready, and how many there are.'),
    text('Status', 'Where the Pod stands, in one word.'),
    text('Restarts', 'How often its containers were started again, and when that was last.'),
    AGE,
    wide('IP', 'Its address.'),
    wide('Node', 'Where it runs.'),
    wide('Nominated Node', 'Where room is being made for it.'),
    wide('Readiness Gates', 'How many of its further conditions for being ready are met.'),
    wide('Item', 'What it works on, if its Job has a work list.'),
  ],
  cells: (pod, now) => {
    const found = inspect(pod);
    const { metadata, spec, status } = pod;
    return [
      metadata.name,
      `${found.ready}/${found.total}`,
      found.word,
      restartText(found.restarts, now),
      ageOf(metadata.creationTimestamp, now),
      status.podIPs?.[0]?.ip ?? '<none>',
      spec.nodeName ?? '<none>',
      status.nominatedNodeName ?? '<none>',
      gates(pod),
      metadata.annotations?.[ANNOTATIONS.item] ?? '<none>',
    ];
  },
  conditions: ({ status: { phase } }) => {
    if (phase === 'Succeeded') return [completed(phase, 'The pod has completed successfully.')];
    return phase === 'Failed' ? [completed(phase, 'The pod failed.')] : [];
  },
};

/** Nothing more will happen to this Pod. */
export const isPodOver = ({ status: { phase } }: PrintedPod): boolean => phase === 'Succeeded' || phase === 'Failed';

const completed = (reason: string, message: string): RowCondition => ({
  type: 'Completed',
  status: 'True',
  reason,
  message,
});

/** How often containers were restarted, and when the last of the earlier ones ended. */
type Restarts = { readonly count: number; readonly at: number | null };
type Seen = { readonly ready: number; readonly total: number; readonly word: string; readonly restarts: Restarts };

function inspect(pod: PrintedPod): Seen {
  const { metadata, spec, status } = pod;
  const { phase, reason = phase, conditions = [] } = status;
  const isGated = conditions.some((each) => each.type === 'PodScheduled' && each.reason === 'SchedulingGated');
  const sidecars = new Set((spec.initContainers ?? []).flatMap((c) => (c.restartPolicy === 'Always' ? [c.name] : [])));
  const initial = beforeStart(pod, sidecars);
  const isStarting = initial.word !== null && !isTrue(conditions, 'Initialized');
  const main = afterStart(pod, initial.word ?? (isGated ? 'SchedulingGated' : reason));
  const base = { total: spec.containers.length + sidecars.size, ready: initial.ready };
  const seen: Seen = isStarting
    ? { ...base, word: initial.word ?? reason, restarts: initial.restarts }
    : { ...base, ready: base.ready + main.ready, word: main.word, restarts: plus(initial.ofSidecars, main.restarts) };
  if (metadata.deletionTimestamp === undefined) return seen;
  if (status.reason === 'NodeLost') return { ...seen, word: 'Unknown' };
  return isPodOver(pod) ? seen : { ...seen, word: 'Terminating' };
}

/** The status from the init containers, up to the first that is not done; `word` null: all are. */
function beforeStart({ spec, status }: PrintedPod, sidecars: ReadonlySet<string>) {
  let restarts: Restarts = NONE;
  let ofSidecars: Restarts = NONE;
  let ready = 0;
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    restarts = plus(restarts, restartsOf(container));
    if (isSidecar) ofSidecars = plus(ofSidecars, restartsOf(container));
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isSidecar && container.started === true) {
      ready += container.ready === true ? 1 : 0;
      continue;
    }
    const waits = waiting?.reason ?? '';
    const word =
      terminated !== undefined
        ? endWord(terminated)
        : waits !== '' && waits !== 'PodInitializing'
          ? waits
          : `${i}/${spec.initContainers?.length ?? 0}`;
    return { word: `Init:${word}`, restarts, ofSidecars, ready };
  }
  return { word: null, restarts, ofSidecars, ready };
}

/** The status from the containers: the first one that does not run decides. */
function afterStart({ status }: PrintedPod, before: string) {
  let word = before;
  let ready = 0;
  let restarts: Restarts = NONE;
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    restarts = plus(restarts, restartsOf(container));
    const { waiting, terminated, running } = container.state ?? {};
    if ((waiting?.reason ?? '') !== '') word = waiting?.reason ?? word;
    else if (terminated !== undefined) word = endWord(terminated);
    else if (container.ready === true && running !== undefined) ready++;
  }
  if (word === 'Completed' && ready > 0) word = isTrue(status.conditions ?? [], 'Ready') ? 'Running' : 'NotReady';
  return { word, ready, restarts };
}

function endWord({ reason = '', signal = 0, exitCode }: Terminated): string {
  if (reason !== '') return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

const NONE: Restarts = { count: 0, at: null };
const restartsOf = ({ restartCount = 0, lastState }: ContainerStatus): Restarts => ({
  count: restartCount,
  at: msOf(lastState?.terminated?.finishedAt),
});

function plus(a: Restarts, b: Restarts): Restarts {
  const at = a.at === null ? b.at : b.at === null ? a.at : Math.max(a.at, b.at);
  return { count: a.count + b.count, at };
}

const restartText = ({ count, at }: Restarts, now: EpochMs): string =>
  count === 0 || at === null ? String(count) : `${count} (${humanDuration(now - at)} ago)`;

function gates({ spec: { readinessGates = [] }, status: { conditions = [] } }: PrintedPod): string {
  if (readinessGates.length === 0) return '<none>';
  const met = readinessGates.filter(({ conditionType }) => isTrue(conditions, conditionType));
  return `${met.length}/${readinessGates.length}`;
}
