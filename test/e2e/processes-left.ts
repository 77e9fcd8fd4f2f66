import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Processes are looked for in /proc, which only Linux has. */
export const canLook = process.platform === 'linux';

/** `pid command line` of every process but this one whose command line, environment or working directory names `folder`. */
export function processesNaming(folder: string): readonly string[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const command = read(pid, 'cmdline');
    const named = [command, read(pid, 'environ'), workingDirectory(pid)].some((text) => text.includes(folder));
    return named ? [`${pid} ${command.replaceAll('\0', ' ')}`] : [];
  });
}

/** Empty for a process that is gone, and for a zombie's command line and environment. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function workingDirectory(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
