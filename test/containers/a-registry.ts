import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type AnEngine, archiveOf, busyboxFolder } from './an-engine.ts';

const MIB = 1024 * 1024;
const BALLAST_MIB = 6;

export type ARegistry = {
  /** `127.0.0.1:5001`: images of any name are found there */
  readonly host: string;
  readonly remove: () => void;
};

/**
 * A registry on the loopback of an engine's machine, with one image, which has busybox and some megabytes that cannot be compressed.
 *
 * @param login `user:password` that it demands; '': none
 * @param mibPerSec how fast it serves
 */
export function aRegistry(
  engine: AnEngine,
  port: number,
  { login = '', mibPerSec = 1024 }: { readonly login?: string; readonly mibPerSec?: number },
): ARegistry {
  const folder = mkdtempSync(join(tmpdir(), 'muster-registry-'));
  const store = (content: Buffer) => {
    const digest = digestOf(content);
    writeFileSync(join(folder, digest), content);
    return { digest, size: content.length };
  };
  const root = busyboxFolder();
  mkdirSync(join(root, 'srv'), { recursive: true });
  writeFileSync(join(root, 'srv/ballast'), randomBytes(BALLAST_MIB * MIB));
  const layer = archiveOf(root);
  rmSync(root, { recursive: true, force: true });
  const config = {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Env: ['PATH=/bin'], Cmd: ['sh', '-c', 'echo pulled'] },
    rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
  };
  const image = 'application/vnd.docker.container.image.v1+json';
  const layers = 'application/vnd.docker.image.rootfs.diff.tar.gzip';
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
      config: { mediaType: image, ...store(Buffer.from(JSON.stringify(config))) },
      layers: [{ mediaType: layers, ...store(gzipSync(layer)) }],
    }),
  );
  writeFileSync(join(folder, 'manifest.json'), manifest);
  writeFileSync(join(folder, 'digest.json'), JSON.stringify({ digest: digestOf(manifest) }));
  const program = join(import.meta.dirname, 'registry-program.ts');
  const pace = String(Math.ceil((mibPerSec * MIB) / 10));
  engine.run(process.execPath, '--import', import.meta.resolve('tsx'), program, folder, String(port), login, pace);
  return { host: `127.0.0.1:${port}`, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
