/** What a Pod's hostname may have: the Job's name, a hyphen, and the index. */
const HOSTNAME_CHARS_MAX = 63;

/**
 * The `nth` name to try for a rerun: `frames-rerun`, `frames-rerun-2`, and so on. A rerun of a rerun counts on. The name of a Job
 * with a long name is cut, so that the hostname of its last index fits.
 */
export function rerunName(old: string, completions: number, nth: number): string {
  const base = old.replace(/-rerun(?:-\d+)?$/, '');
  const suffix = nth === 1 ? '-rerun' : `-rerun-${nth}`;
  const indexChars = 1 + String(Math.max(completions - 1, 0)).length;
  return base.slice(0, HOSTNAME_CHARS_MAX - indexChars - suffix.length).replace(/[-.]+$/, '') + suffix;
}
