import type { OwnerKind } from '../kinds/api-kinds.ts';
import type { JobUid } from '../base/ids.ts';
import type { JobManifest, Labels } from './manifest.ts';

/**
 * What capabilities keep of a Job beside its manifest, each in a field of its own, which it declares here (`declare module`). A Job
 * with a part is one of another API, too: its manifest is made of the part.
 */
export interface JobParts {}

/** The name of a part: the field in which a Job has it. */
export type PartName = keyof JobParts;

/** What Muster does with Jobs that have a part. */
export type JobPart<P> = {
  /** The object that owns the Job and in which it has a place, which hears what becomes of it; null: there is none. */
  placeOf(part: P, manifest: JobManifest): PlaceOwner | null;
  /** What the Pod of an attempt (from 1 up) has beside its template's. */
  podMetadata(part: P, uid: JobUid, index: number, attempt: number): PodMetadata;
  /** The label of its Pods that holds the Job's uid. */
  readonly jobUidLabel: string;
};

export type PlaceOwner = { readonly kind: OwnerKind; readonly name: string; readonly uid: string };
export type PodMetadata = { readonly labels: Labels; readonly annotations: Labels };

/** The part of a Job with what is done with it; null: it is a Job of `batch/v1` and nothing else. */
export function partOf(parts: JobParts, rows: JobPartRows): FoundPart | null {
  for (const [name, row] of Object.entries<JobPart<unknown>>(rows as Readonly<Record<string, JobPart<unknown>>>)) {
    const part = (parts as Readonly<Record<string, unknown>>)[name];
    if (part !== undefined) return { row, part };
  }
  return null;
}
export type FoundPart = { readonly row: JobPart<unknown>; readonly part: unknown };

/** A row for each part. */
export type JobPartRows = { readonly [K in PartName]-?: JobPart<NonNullable<JobParts[K]>> };
