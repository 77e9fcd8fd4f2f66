import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded } from './embedded.ts';
import { type EngineProcess, startEngine } from './engine-process.ts';
import { isVerifying } from '../verify/verifying.ts';

// What `.ci/install-engines` has put into .engines/, and how to start it.

const ENGINES = join(import.meta.dirname, '../../.engines');

/** A program that others wrote and that answers as AWS does. */
type Foreign = 'moto' | 'ministack' | 'elasticmq';
/** One of those, or our own. */
export type EngineName = Foreign | 'embedded';

/** Lambda's Node, as a path. */
export const LAMBDA_NODE = join(ENGINES, 'node24/bin/node');

/** A program of ours with Go's client library, as a path. */
export const GO_SESSION = join(ENGINES, 'client-go/session');

/** Whether `.ci/install-engines` has done its work; if not, this throws in `npm run verify` and warns elsewhere. */
export function installed(part: EngineName | 'node24' | 'cfn-lint' | 'client-go'): boolean {
  if (part === 'embedded') return true;
  if (existsSync(join(ENGINES, part, 'pins'))) return true;
  const sentence = `${part} is not installed: run .ci/install-engines`;
  if (isVerifying) throw new Error(sentence);
  console.warn(`\n  NOT TESTED: ${sentence}\n`);
  return false;
}

/** The version of an engine, as it is pinned; empty for our own. */
export function versionOf(part: EngineName | 'node24'): string {
  if (part === 'embedded') return '';
  const pins = readFileSync(join(ENGINES, part, 'pins'), 'utf8');
  const [, version = '?'] =
    part === 'node24'
      ? ['', pins.trim()]
      : (
          new RegExp(`^${part}==(.+)$|<artifactId>${part}-server[^]*?<version>(.+?)</version>`, 'm').exec(pins) ?? []
        ).filter((found) => found !== undefined);
  return version;
}

/** How each starts, on a free port of this machine. Their own settings are the strict ones. */
export const START: Readonly<Record<EngineName, () => Promise<EngineProcess>>> = {
  embedded: startEmbedded,
  moto: async () =>
    startEngine(
      'python3',
      (port) => ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
      () => ({ PYTHONPATH: join(ENGINES, 'moto'), PYTHONDONTWRITEBYTECODE: '1' }),
    ),
  ministack: async () =>
    startEngine(
      'python3',
      () => ['-m', 'ministack'],
      (port) => ({
        PYTHONPATH: join(ENGINES, 'ministack'),
        PYTHONDONTWRITEBYTECODE: '1',
        GATEWAY_PORT: String(port),
        MINISTACK_HOST: '127.0.0.1',
        BIND_HOST: '127.0.0.1',
      }),
    ),
  elasticmq: async () =>
    startEngine(
      'java',
      (port) => [
        '-Xmx256m',
        '-Dnode-address.host=127.0.0.1',
        `-Dnode-address.port=${port}`,
        '-Drest-sqs.bind-hostname=127.0.0.1',
        `-Drest-sqs.bind-port=${port}`,
        '-Drest-sqs.sqs-limits=strict',
        '-Drest-stats.enabled=false',
        '-cp',
        join(ENGINES, 'elasticmq/lib/*'),
        'org.elasticmq.server.Main',
      ],
      () => ({}),
    ),
};
