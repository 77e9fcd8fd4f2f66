import type { Container, PodTemplate, Resources } from '../domain/manifest.ts';
import { STOP_TIMEOUT_MAX_SEC } from '../domain/pod-template.ts';
import { parseQuantity } from '../domain/quantity.ts';
import { referredVariables } from '../domain/variable-expansion.ts';
import { dnsLabelFaults } from './dns-names.ts';
import { type Fault, duplicate, invalid, required } from './fault.ts';
import type { ContainerShape, PodSpecShape, TemplateShape } from './pod-shape.ts';
import { annotationFaults, labelFaults } from './metadata-rules.ts';
import { refusedMetadata, refusedValue } from './refused-fields.ts';
import { refusedInContainer, refusedInPodSpec } from './refused-pod-fields.ts';

export type TemplateContext = { readonly indexed: boolean };

/** A template with its defaults, of use only for counting and sizing when something is wrong with it. */
export type AdmittedTemplate = {
  readonly template: PodTemplate;
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
};

const PATH = 'spec.template';
const DEFAULT_GRACE_SEC = 30;

/**
 * Kubernetes' rules for a pod template, as far as Muster supports it. What a Job asks of its template (labels, selector,
 * restartPolicy) is in job-spec-rules.ts.
 */
export function admitPodTemplate(shape: TemplateShape | undefined, context: TemplateContext): AdmittedTemplate {
  const spec = shape?.spec;
  const metadata = shape?.metadata;
  const gracePeriodSec = spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SEC;
  const containers = spec?.containers ?? [];
  const initContainers = spec?.initContainers ?? [];
  const specPath = `${PATH}.spec`;
  const faults: Fault[] = [
    ...labelFaults(`${PATH}.labels`, metadata?.labels),
    ...annotationFaults(`${PATH}.annotations`, metadata?.annotations),
    ...refusedMetadata(`${PATH}.metadata`, metadata),
    ...refusedInPodSpec(specPath, spec),
    ...(containers.length === 0 ? [required(`${specPath}.containers`)] : []),
    ...initContainers.flatMap((c, i) => containerFaults(`${specPath}.initContainers[${i}]`, c, context)),
    ...containers.flatMap((c, i) => containerFaults(`${specPath}.containers[${i}]`, c, context)),
    ...duplicateNames(specPath, initContainers, containers),
  ];
  if (gracePeriodSec < 0)
    faults.push(
      invalid(`${specPath}.terminationGracePeriodSeconds`, gracePeriodSec, 'must be greater than or equal to 0'),
    );
  const annotations = metadata?.annotations ?? {};
  return {
    template: {
      metadata: {
        labels: metadata?.labels ?? {},
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      },
      spec: {
        ...(initContainers.length === 0 ? {} : { initContainers: initContainers.map(admitContainer) }),
        containers: containers.map(admitContainer),
        restartPolicy: spec?.restartPolicy === 'OnFailure' ? 'OnFailure' : 'Never',
        terminationGracePeriodSeconds: gracePeriodSec,
      },
    },
    faults,
    warnings: templateWarnings(containers, initContainers, gracePeriodSec),
  };
}

function duplicateNames(
  specPath: string,
  init: readonly ContainerShape[],
  app: readonly ContainerShape[],
): readonly Fault[] {
  const seen = new Set<string>();
  const faults: Fault[] = [];
  const look = (list: string, containers: readonly ContainerShape[]): void => {
    for (const [i, { name = '' }] of containers.entries()) {
      if (name !== '' && seen.has(name)) faults.push(duplicate(`${specPath}.${list}[${i}].name`, name));
      seen.add(name);
    }
  };
  look('containers', app);
  look('initContainers', init);
  return faults;
}

function containerFaults(path: string, c: ContainerShape, { indexed }: TemplateContext): readonly Fault[] {
  const { name = '', image = '' } = c;
  const faults: Fault[] = [];
  if (name === '') faults.push(required(`${path}.name`));
  else faults.push(...dnsLabelFaults(name).map((fault) => invalid(`${path}.name`, name, fault)));
  if (image === '') faults.push(required(`${path}.image`));
  else if (image.trim() !== image)
    faults.push(invalid(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  for (const field of ['command', 'args'] as const)
    for (const [i, word] of (c[field] ?? []).entries())
      faults.push(...wordFaults(`${path}.${field}[${i}]`, word, indexed));
  faults.push(...wordFaults(`${path}.workingDir`, c.workingDir ?? '', false));
  for (const [i, variable] of (c.env ?? []).entries())
    faults.push(...envFaults(`${path}.env[${i}]`, variable, indexed));
  return [...faults, ...resourceFaults(`${path}.resources`, c.resources), ...refusedInContainer(path, c)];
}

/** Set for each attempt by whoever launches it, so it is not known when the task definition is made. */
const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
const OUR_VARIABLES = 'MUSTER_';

function wordFaults(path: string, word: string, indexed: boolean): readonly Fault[] {
  if (word.includes('\0')) return [invalid(path, word, 'must not contain NUL')];
  if (indexed && referredVariables(word).includes(INDEX_VARIABLE))
    return [refusedValue(path, `let a shell read it: sh -c 'program "$${INDEX_VARIABLE}"'`)];
  return [];
}

function envFaults(path: string, variable: EnvShape, indexed: boolean): readonly Fault[] {
  const { name = '', value = '', valueFrom } = variable;
  const faults: Fault[] = [];
  if (name === '') faults.push(required(`${path}.name`));
  else if (!/^[ -<>-~]+$/.test(name))
    faults.push(
      invalid(
        `${path}.name`,
        name,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      ),
    );
  else if (name === INDEX_VARIABLE && indexed)
    faults.push(refusedValue(`${path}.name`, 'leave it out: Muster sets it to the completion index'));
  else if (name.startsWith(OUR_VARIABLES))
    faults.push(refusedValue(`${path}.name`, `use another name: those that begin with ${OUR_VARIABLES} are Muster's`));
  if (valueFrom !== undefined && valueFrom !== null)
    faults.push(
      refusedValue(`${path}.valueFrom`, `write the value; the completion index is in ${INDEX_VARIABLE} anyway`),
    );
  return [...faults, ...wordFaults(`${path}.value`, value, indexed)];
}

type EnvShape = NonNullable<ContainerShape['env']>[number];

function resourceFaults(path: string, resources: ContainerShape['resources']): readonly Fault[] {
  const faults: Fault[] = [];
  if (Array.isArray(resources?.claims) && resources.claims.length > 0)
    faults.push(refusedValue(`${path}.claims`, 'leave it out'));
  for (const list of ['limits', 'requests'] as const)
    for (const [name, text] of Object.entries(resources?.[list] ?? {})) {
      const at = `${path}.${list}[${name}]`;
      const amount = parseQuantity(text);
      if (name !== 'cpu' && name !== 'memory')
        faults.push(refusedValue(at, 'a Fargate task has cpu and memory; leave it out'));
      else if (amount === null)
        faults.push(
          invalid(
            at,
            text,
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
          ),
        );
      else if (amount < 0) faults.push(invalid(at, text, 'must be greater than or equal to 0'));
      else if (list === 'requests') faults.push(...aboveLimit(at, name, text, amount, resources?.limits?.[name]));
    }
  return faults;
}

function aboveLimit(
  path: string,
  name: string,
  text: string,
  amount: number,
  limit: string | undefined,
): readonly Fault[] {
  const most = limit === undefined ? null : parseQuantity(limit);
  return most === null || amount <= most
    ? []
    : [invalid(path, text, `must be less than or equal to ${name} limit of ${limit ?? ''}`)];
}

function admitContainer({
  name = '',
  image = '',
  command,
  args,
  workingDir,
  env,
  resources,
}: ContainerShape): Container {
  const limits = cpuAndMemory(resources?.limits);
  // A limit without a request stands for both, as Kubernetes defaults it.
  const requests = { ...limits, ...cpuAndMemory(resources?.requests) };
  const both = {
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
  };
  return {
    name,
    image,
    ...(command === undefined || command.length === 0 ? {} : { command }),
    ...(args === undefined || args.length === 0 ? {} : { args }),
    ...(workingDir === undefined || workingDir === '' ? {} : { workingDir }),
    ...(env === undefined || env.length === 0
      ? {}
      : { env: env.map((variable) => ({ name: variable.name ?? '', value: variable.value ?? '' })) }),
    ...(Object.keys(both).length === 0 ? {} : { resources: both }),
  };
}

function cpuAndMemory(list: Readonly<Record<string, string>> = {}): Resources {
  const { cpu, memory } = list;
  return { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
}

function templateWarnings(
  containers: NonNullable<PodSpecShape['containers']>,
  initContainers: NonNullable<PodSpecShape['initContainers']>,
  gracePeriodSec: number,
): readonly string[] {
  const warnings: string[] = [];
  const main = containers[0]?.name ?? '';
  for (const [i] of containers.slice(1).entries())
    warnings.push(
      `${PATH}.spec.containers[${i + 1}]: runs beside "${main}"; the Pod ends with "${main}", whatever this container does`,
    );
  if (gracePeriodSec > STOP_TIMEOUT_MAX_SEC)
    warnings.push(
      `${PATH}.spec.terminationGracePeriodSeconds: Fargate kills what has not ended after ${STOP_TIMEOUT_MAX_SEC} seconds`,
    );
  const all = [
    ...initContainers.map((c, i) => ({ c, at: `initContainers[${i}]` })),
    ...containers.map((c, i) => ({ c, at: `containers[${i}]` })),
  ];
  for (const { c, at } of all) {
    const seen = new Set<string>();
    for (const [i, { name = '' }] of (c.env ?? []).entries()) {
      if (seen.has(name)) warnings.push(`${PATH}.spec.${at}.env[${i}]: hides previous definition of "${name}"`);
      seen.add(name);
    }
  }
  return warnings;
}
