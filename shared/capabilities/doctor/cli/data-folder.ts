import { formatAge, formatDuration } from '../../../../cli/text/age.ts';
import { onOneLine } from '../../../../cli/text/table.ts';

/** What the server reports of its data folder. */
export type ShownDataFolder = {
  readonly path: string;
  readonly bytes: number;
  readonly jobsFile: { readonly usedBytes: number; readonly fileBytes: number } | null;
  readonly logsBytes: number;
  readonly tasksBytes: number;
  readonly jobs: number;
  readonly more: boolean;
  readonly oldestJob: { readonly namespace: string; readonly name: string; readonly createdAt: number } | null;
  readonly prunable: {
    readonly olderThanSeconds: number;
    readonly jobs: number;
    readonly namespaces: readonly string[];
  };
};

/**
 * The size of the data folder, the oldest Job, and what can be pruned, for people.
 *
 * @param namespace the one that the user is in: the command reaches others only with -A
 */
export function dataFolderText(folder: ShownDataFolder, namespace: string, nowMs: number): string {
  const { path, bytes, jobsFile, logsBytes, tasksBytes, jobs, more, oldestJob, prunable } = folder;
  const parts = [
    ...(jobsFile === null
      ? []
      : [`Jobs ${formatBytes(jobsFile.fileBytes)} (${formatBytes(jobsFile.usedBytes)} in use)`]),
    `logs ${formatBytes(logsBytes)}`,
    `records of tasks ${formatBytes(tasksBytes)}`,
  ];
  const lines = [`data folder ${onOneLine(path)}: ${formatBytes(bytes)}: ${parts.join(', ')}`];
  if (oldestJob !== null) {
    const name = onOneLine(`${oldestJob.namespace}/${oldestJob.name}`);
    lines.push(`${jobsText(jobs, more)}, the oldest: ${name} (${formatAge(oldestJob.createdAt, nowMs)})`);
  }
  if (prunable.jobs > 0) {
    const age = formatDuration(prunable.olderThanSeconds * 1000);
    const reach = prunable.namespaces.every((each) => each === namespace) ? '' : ' -A';
    lines.push(
      `${jobsText(prunable.jobs, more)} ended ${age} ago or earlier; to delete them: \`muster prune --older-than ${age}${reach}\``,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

const jobsText = (count: number, more: boolean): string =>
  `${count}${more ? ' or more' : ''} ${count === 1 && !more ? 'Job' : 'Jobs'}`;

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Two figures at least, such as 640 kB, 1.4 MB, 12 MB. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 9.95 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
