import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HAS_PROC } from '../../local/process-table.ts';
import { aMusterLocal } from './a-muster-local.ts';

/** State of a socket that listens (proc_net_tcp); UDP's that are bound have another. */
const LISTENS = { tcp: '0A', udp: '07' } as const;

/** Ports of 127.0.0.1 on which a process listens, and `elsewhere` for any other address. Linux only. */
function listeningPorts(pid: number, protocol: 'tcp' | 'udp'): readonly (number | 'elsewhere')[] {
  const folder = `/proc/${pid}/fd`;
  const own = new Set(readdirSync(folder).map((file) => /^socket:\[(\d+)\]$/.exec(linkIn(folder, file))?.[1]));
  const table = [protocol, `${protocol}6`].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1),
  );
  return table.flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state !== LISTENS[protocol] || !own.has(inode)) return [];
    const [address, port = ''] = local.split(':');
    return [address === '0100007F' ? parseInt(port, 16) : 'elsewhere'];
  });
}

function linkIn(folder: string, file: string): string {
  try {
    return readlinkSync(join(folder, file));
  } catch {
    return ''; // closed meanwhile
  }
}

const numberIn = (dir: string, file: string): number => Number(readFileSync(join(dir, file), 'utf8'));
const ascending = (ports: readonly (number | 'elsewhere')[]) => ports.toSorted((a, b) => Number(a) - Number(b));

test.runIf(HAS_PROC)(
  'of `muster local` nothing listens but the API and the DNS server, both on 127.0.0.1',
  async () => {
    const { pid, dataDir, stop } = await aMusterLocal();
    const [api, dns] = [numberIn(dataDir, 'api-port'), numberIn(dataDir, 'dns-port')];
    expect(ascending(listeningPorts(pid, 'tcp'))).toEqual(ascending([api, dns]));
    expect(listeningPorts(pid, 'udp')).toEqual([dns]);
    await stop();
  },
);

test.runIf(HAS_PROC)('with --emulate-aws queues and engines listen, too, on 127.0.0.1 only', async () => {
  const { pid, stop } = await aMusterLocal('--emulate-aws', '--in-memory');
  const ports = listeningPorts(pid, 'tcp');
  expect(ports).toHaveLength(4);
  expect(ports).not.toContain('elsewhere');
  await stop();
});
