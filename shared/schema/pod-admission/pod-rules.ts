import { type PodOwner, expandedChars } from '../../domain/task/container-env.ts';
import { OVERRIDES_CHARS_MAX, hasLateProgram, overridesCharsMax } from '../../domain/task/launch-overrides.ts';
import type { Labels, PodTemplate } from '../../domain/manifests/manifest.ts';
import type { TaskOwner } from '../../domain/task/task-environment.ts';
import type { PodSpec } from '../../domain/manifests/pod-spec.ts';
import { EPHEMERAL_GIB_MAX, TASK_CONTAINERS_MAX, ephemeralStorageOf } from '../../domain/task/pod-template.ts';
import { needsFilesContainer } from '../../domain/task/volumes/volume-groups.ts';
import type { AdmittedItems } from '../items/job-items-rules.ts';
import { admitVolume } from './admit-volume.ts';
import { admitContainer, textOr } from './admit-container.ts';
import { containerErrors } from './container-rules.ts';
import { dnsSubdomainErrors } from '../object/dns-names.ts';
import { type FieldError, duplicate, forbidden, invalid, required, tooLong, tooMany } from '../object/field-error.ts';
import { keptFields } from '../object/kept-fields.ts';
import { annotationErrors, labelErrors } from '../object/metadata-rules.ts';
import { groupWarnings } from '../pod/group-rules.ts';
import { memoryVolumeWarnings } from '../pod/memory-volume-warnings.ts';
import { placementErrors } from './placement-rules.ts';
import { refusedFields } from '../pod/pod-fields.ts';
import type { ContainerShape, PodSpecShape, TemplateShape } from '../pod/pod-shape.ts';
import { DEFAULT_SCHEDULER, withoutEffectErrors } from './without-effect-rules.ts';
import { templateWarnings } from './pod-warnings.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { podSecurityErrors } from './security-rules.ts';
import { volumeErrors } from '../pod/volume-rules.ts';

/** The parts of a Job that its template depends on. */
export type TemplateContext = {
  readonly indexed: boolean;
  readonly name: string;
  readonly namespace: string;
  readonly annotations?: Labels | undefined;
  /** The Job's work list. Omitted or null: it has none. */
  readonly items?: AdmittedItems | null;
};

/** A template with its defaults. If it has faults, use it only to count and size. */
export type AdmittedTemplate = {
  readonly template: PodTemplate;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
};

const PATH = 'spec.template';
const SPEC = `${PATH}.spec`;
/**
 * The limit of all variables and words with each `$(NAME)` expanded: more than any task definition allows, and still
 * cheap.
 */
const EXPANDED_CHARS_MAX = 1024 * 1024;
const DEFAULT_GRACE_SEC = 30;
const NO_SPEC: Partial<PodSpecShape> = {};

/**
 * Kubernetes' rules for a pod template, for the fields that Muster supports (pod-fields.ts). A Job's rules for its
 * template (labels, selector, restartPolicy) are in job-spec-rules.ts.
 */
export function admitPodTemplate(shape: TemplateShape | undefined, job: TemplateContext): AdmittedTemplate {
  const long = longLists(shape?.spec);
  const spec =
    shape?.spec === undefined ? undefined : { ...shape.spec, ...Object.fromEntries(long.map(([name]) => [name, []])) };
  const metadata = shape?.metadata;
  const template: PodTemplate = {
    metadata: { ...keptFields('ObjectMeta', metadata ?? {}), labels: metadata?.labels ?? {} },
    spec: admitPodSpec(spec ?? NO_SPEC),
  };
  const errors = [
    ...labelErrors(`${PATH}.labels`, metadata?.labels),
    ...annotationErrors(`${PATH}.annotations`, metadata?.annotations),
    ...refusedFields('metadata', `${PATH}.metadata`, metadata),
    ...long.map(([name, count, countMax]) => tooMany(`${SPEC}.${name}`, count, countMax)),
    ...(spec === undefined ? [required(`${SPEC}.containers`)] : long.length > 0 ? [] : specErrors(spec, template.spec)),
  ];
  return {
    template,
    errors: errors.length > 0 ? errors : wholeErrors(template, job),
    warnings: [
      ...(spec === undefined ? [] : templateWarnings(SPEC, spec, job.items?.items.columns ?? [])),
      ...(errors.length > 0 ? [] : [...memoryVolumeWarnings(SPEC, template), ...groupWarnings(SPEC, template.spec)]),
    ],
  };
}

/** Longer lists can be no task's; nobody looks at what is in them. */
const LISTS_MAX = {
  containers: TASK_CONTAINERS_MAX,
  initContainers: TASK_CONTAINERS_MAX,
  volumes: 500,
  imagePullSecrets: 500,
} as const;
type LongList = readonly [name: keyof typeof LISTS_MAX, count: number, countMax: number];

const longLists = (spec: PodSpecShape | undefined): readonly LongList[] =>
  (Object.keys(LISTS_MAX) as (keyof typeof LISTS_MAX)[]).flatMap((name): readonly LongList[] => {
    const count = spec?.[name]?.length ?? 0;
    return count > LISTS_MAX[name] ? [[name, count, LISTS_MAX[name]]] : [];
  });

/** The spec as written, with Kubernetes' defaults for a template (`SetDefaults_PodSpec`). A Pod has more defaults. */
function admitPodSpec(shape: Partial<PodSpecShape>): PodSpec {
  const {
    containers = [],
    initContainers,
    volumes,
    imagePullSecrets,
    restartPolicy,
    automountServiceAccountToken,
    ...others
  } = shape;
  const kept = keptFields('PodSpec', others);
  const account = accountOf(shape);
  return {
    ...kept,
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(admitContainer) }),
    containers: containers.map(admitContainer),
    ...(volumes === undefined ? {} : { volumes: volumes.map(admitVolume) }),
    restartPolicy: restartPolicy === 'OnFailure' ? 'OnFailure' : 'Never',
    terminationGracePeriodSeconds: kept.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SEC,
    dnsPolicy: textOr(kept.dnsPolicy, 'ClusterFirst'),
    // Kubernetes always shows the account under both field names.
    ...(account === '' ? {} : { serviceAccountName: account, serviceAccount: account }),
    ...(imagePullSecrets === undefined
      ? {}
      : { imagePullSecrets: imagePullSecrets.map(({ name = '' }) => ({ name })) }),
    ...(automountServiceAccountToken === undefined ? {} : { automountServiceAccountToken }),
    securityContext: kept.securityContext ?? {},
    schedulerName: textOr(kept.schedulerName, DEFAULT_SCHEDULER),
  };
}

const accountOf = ({ serviceAccountName = '', serviceAccount = '' }: Partial<PodSpecShape>): string =>
  serviceAccountName === '' ? serviceAccount : serviceAccountName;

function specErrors(spec: PodSpecShape, admitted: PodSpec): readonly FieldError[] {
  const { containers = [], initContainers = [] } = spec;
  const pod = [...admitted.containers, ...(admitted.initContainers ?? [])];
  const hasFiles = needsFilesContainer(admitted);
  const check = (name: string, list: readonly ContainerShape[], isInit: boolean) =>
    list.flatMap((c, i) =>
      containerErrors(`${SPEC}.${name}[${i}]`, c, { spec, isInit, hasFiles, admitted: admitContainer(c), pod }),
    );
  return [
    ...refusedFields('spec', SPEC, spec),
    ...volumeErrors(`${SPEC}.volumes`, spec, pod),
    ...(containers.length === 0 ? [required(`${SPEC}.containers`)] : []),
    ...check('initContainers', initContainers, true),
    ...check('containers', containers, false),
    ...duplicateNames(initContainers, containers),
    ...graceErrors(spec),
    ...deadlineErrors(spec),
    ...placementErrors(SPEC, spec),
    ...withoutEffectErrors(SPEC, spec),
    ...accountErrors(spec),
    ...pullSecretErrors(spec),
    ...podSecurityErrors(SPEC, spec),
  ];
}

function duplicateNames(init: readonly ContainerShape[], app: readonly ContainerShape[]): readonly FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  const checkMounts = (list: string, containers: readonly ContainerShape[]): void => {
    for (const [i, { name = '' }] of containers.entries()) {
      if (name !== '' && seen.has(name)) errors.push(duplicate(`${SPEC}.${list}[${i}].name`, name));
      seen.add(name);
    }
  };
  checkMounts('containers', app);
  checkMounts('initContainers', init);
  return errors;
}

function graceErrors({
  terminationGracePeriodSeconds: graceSec = DEFAULT_GRACE_SEC,
}: PodSpecShape): readonly FieldError[] {
  return graceSec >= 0
    ? []
    : [invalid(`${SPEC}.terminationGracePeriodSeconds`, graceSec, 'must be greater than or equal to 0')];
}

const INT32_MAX = 2_147_483_647;

const deadlineErrors = ({ activeDeadlineSeconds: sec }: PodSpecShape): readonly FieldError[] =>
  sec === undefined || (sec >= 1 && sec <= INT32_MAX)
    ? []
    : [invalid(`${SPEC}.activeDeadlineSeconds`, sec, `must be between 1 and ${INT32_MAX}, inclusive`)];

function accountErrors(spec: PodSpecShape): readonly FieldError[] {
  const name = accountOf(spec);
  return name === ''
    ? []
    : dnsSubdomainErrors(name).map((fieldError) => invalid(`${SPEC}.serviceAccountName`, name, fieldError));
}

function pullSecretErrors({ imagePullSecrets = [] }: PodSpecShape): readonly FieldError[] {
  const path = `${SPEC}.imagePullSecrets`;
  return imagePullSecrets.flatMap(({ name = '' }, i) =>
    name === ''
      ? [required(`${path}[${i}].name`)]
      : dnsSubdomainErrors(name).map((fieldError) => invalid(`${path}[${i}].name`, name, fieldError)),
  );
}

/** Whether a Fargate task has as much disk as the Pod needs. */
export function storageErrors(spec: PodSpec): readonly FieldError[] {
  const storage = ephemeralStorageOf(spec);
  return storage === null || storage <= EPHEMERAL_GIB_MAX
    ? []
    : [
        invalid(
          `${SPEC}.containers`,
          undefined,
          `the Pod needs ${storage} GiB of ephemeral storage; a Fargate task has at most ${EPHEMERAL_GIB_MAX}`,
        ),
      ];
}

/** Rules for the template as a whole, checked if its parts are valid. */
function wholeErrors(template: PodTemplate, job: TemplateContext): readonly FieldError[] {
  const { indexed, name, namespace, annotations, items = null } = job;
  const errors: FieldError[] = [...itemVariableErrors(template.spec, items), ...storageErrors(template.spec)];
  const owner: PodOwner & TaskOwner = {
    metadata: { name, namespace, ...(items === null ? {} : { annotations }) },
    spec: { completionMode: indexed ? 'Indexed' : 'NonIndexed', template },
  };
  const { containers, initContainers = [] } = template.spec;
  const widest = items?.widest ?? null;
  const expanded = [...initContainers, ...containers].reduce(
    (sum, each) => sum + expandedChars(each, owner, widest),
    0,
  );
  if (expanded > EXPANDED_CHARS_MAX) return [...errors, tooLong(`${SPEC}.containers`, EXPANDED_CHARS_MAX)];
  for (const [list, members] of Object.entries({ initContainers, containers }))
    for (const [i, container] of members.entries())
      if (hasLateProgram(container, owner))
        errors.push(
          refusedValue(
            `${SPEC}.${list}[${i}].command[0]`,
            'let a shell choose the program: every attempt of a container runs the same one',
          ),
        );
  const chars = overridesCharsMax(owner, widest);
  if (chars > OVERRIDES_CHARS_MAX)
    errors.push(
      invalid(
        `${SPEC}.containers`,
        undefined,
        `what differs between attempts needs ${chars} characters, and ECS allows ${OVERRIDES_CHARS_MAX} at launch for all containers together: ${widest === null ? 'let a shell combine variables and words, or use fewer of them' : 'make the items shorter, batch fewer of them, or let a shell combine variables and words'}`,
      ),
    );
  return errors;
}

/** A column becomes a variable, so no container may have one of that name. */
function itemVariableErrors(spec: PodSpec, items: AdmittedItems | null): readonly FieldError[] {
  const columns = new Set(items?.items.columns ?? []);
  const { containers, initContainers = [] } = spec;
  return Object.entries({ initContainers, containers }).flatMap(([list, members]) =>
    members.flatMap(({ env = [] }, i) =>
      env.flatMap(({ name }, nth) =>
        columns.has(name)
          ? [
              forbidden(
                `${SPEC}.${list}[${i}].env[${nth}].name`,
                `${name} is a column of the Job's work list; leave it out`,
              ),
            ]
          : [],
      ),
    ),
  );
}
