import { join } from 'node:path';

/** The log group and stream of a container, as Fargate's awslogs driver names them. */
export type StreamName = { readonly group: string; readonly stream: string };

/**
 * One file per stream, one folder per group. Names are escaped so that none leaves the folder or collides with another
 * stream.
 */
export const streamFile = (logsDir: string, { group, stream }: StreamName): string =>
  join(groupFolder(logsDir, group), escapeName(stream));

/** The folder of a group's streams. */
export const groupFolder = (logsDir: string, group: string): string => join(logsDir, escapeName(group));

/** The limit on file names in every relevant file system is 255 bytes. */
export const FILE_NAME_BYTES_MAX = 255;

/** A name as one path segment: `/` and `.` are escaped, too, so it is neither a path nor a hidden file. */
export const escapeName = (name: string): string =>
  encodeURIComponent(name).replaceAll('.', '%2E').replaceAll('*', '%2A');

/** The reverse of {@link escapeName}; null for a file that is not one of our streams. */
export function unescapeName(file: string): string | null {
  try {
    const name = decodeURIComponent(file);
    return escapeName(name) === file ? name : null;
  } catch {
    return null;
  }
}
