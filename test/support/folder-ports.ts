import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEPT_PORTS } from '../../shared/capabilities/lists/embedded.ts';
import type { CapabilityPorts } from '../../shared/ports/capability-ports.ts';

let folder: string | null = null;

/** Of a machine on which tasks run: those on AWS have no folders. */
const ON_THIS_MACHINE: readonly string[] = ['volumeFolders'];

/** Ports of capabilities that keep something in a data folder: one for all tests of this process, which goes with it. */
export function testFolderPorts(): Partial<CapabilityPorts> {
  const path = (folder ??= made());
  const ports = KEPT_PORTS.flatMap((open) => Object.entries(open(path)));
  return Object.fromEntries(ports.filter(([name]) => !ON_THIS_MACHINE.includes(name)));
}

function made(): string {
  const path = mkdtempSync(join(tmpdir(), 'muster-test-ports-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}
