import { join } from 'node:path';

/** The log group and stream into which a container prints, as Fargate's awslogs driver names them. */
export type StreamName = { readonly group: string; readonly stream: string };

/** One file a stream, one folder a group. Names are escaped so that no name leads out of the folder or to another stream. */
export const streamFile = (logsDir: string, { group, stream }: StreamName): string =>
  join(groupFolder(logsDir, group), escapeName(stream));

/** The folder that holds a group's streams. */
export const groupFolder = (logsDir: string, group: string): string => join(logsDir, escapeName(group));

/** File names end at 255 bytes on every file system that matters. */
export const FILE_NAME_BYTES_MAX = 255;

/** A name as one path segment: `/` and `.` go, too, so there is neither a path nor a hidden file in it. */
export const escapeName = (name: string): string =>
  encodeURIComponent(name).replaceAll('.', '%2E').replaceAll('*', '%2A');

/** The reverse of {@link escapeName}; null for a file that is no stream of ours. */
export function unescapeName(file: string): string | null {
  try {
    const name = decodeURIComponent(file);
    return escapeName(name) === file ? name : null;
  } catch {
    return null;
  }
}
