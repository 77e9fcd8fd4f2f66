import { ANNOTATIONS, parseDisruptions, parsePendingTimeout } from '../domain/annotations.ts';
import type { Labels } from '../domain/manifest.ts';
import { labelValueFaults, qualifiedNameFaults } from './dns-names.ts';
import { type Fault, invalid, tooLong } from './fault.ts';

/** Kubernetes' `TotalAnnotationSizeLimitB`. */
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** Kubernetes' rules for labels. */
export function labelFaults(path: string, labels: Labels | undefined): readonly Fault[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalid(path, key, fault)),
    ...labelValueFaults(value).map((fault) => invalid(path, value, fault)),
  ]);
}

/** Kubernetes' rules for annotations: keys as labels' (of either case), all together at most 256 KiB. */
export function annotationFaults(path: string, annotations: Labels | undefined): readonly Fault[] {
  const entries = Object.entries(annotations ?? {});
  const faults = entries.flatMap(([key]) =>
    qualifiedNameFaults(key.toLowerCase()).map((fault) => invalid(path, key, fault)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Bytes(key) + utf8Bytes(value), 0);
  return bytes > ANNOTATIONS_BYTES_MAX ? [...faults, tooLong(path, ANNOTATIONS_BYTES_MAX)] : faults;
}

const OWN_PREFIX = ANNOTATIONS.disruptions.replace(/[^/]*$/, '');

/** Muster's own annotations on a Job: what is written there must mean something. */
export function ownAnnotationFaults(path: string, annotations: Labels | undefined): readonly Fault[] {
  const fault = (key: string, parse: (text: string) => unknown, right: string): readonly Fault[] => {
    const text = annotations?.[key];
    return text === undefined || parse(text) !== null ? [] : [invalid(`${path}[${key}]`, text, right)];
  };
  const known: readonly string[] = [ANNOTATIONS.disruptions, ANNOTATIONS.pendingTimeout];
  return [
    ...Object.entries(annotations ?? {})
      .filter(([key]) => key.startsWith(OWN_PREFIX) && !known.includes(key))
      .map(([key, text]) =>
        invalid(`${path}[${key}]`, text, `a Job has ${known.join(' and ')}; nothing else would be read`),
      ),
    ...fault(
      ANNOTATIONS.disruptions,
      parseDisruptions,
      'must be "count", or "losses=10,spot-interruptions=3" with numbers up to 9999 (either part may be left out)',
    ),
    ...fault(
      ANNOTATIONS.pendingTimeout,
      parsePendingTimeout,
      'must be a whole number of seconds between 1 and 9999999, without leading zeros',
    ),
  ];
}

/** The same where there are none: Muster's annotations on anything but a Job would be read by nobody. */
export const strayAnnotationFaults = (path: string, annotations: Labels | undefined): readonly Fault[] =>
  Object.entries(annotations ?? {})
    .filter(([key]) => key.startsWith(OWN_PREFIX))
    .map(([key, text]) =>
      invalid(`${path}[${key}]`, text, 'is read on Jobs only; put it into spec.jobTemplate.metadata.annotations'),
    );

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;
