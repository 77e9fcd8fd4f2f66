import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFault } from '../../local/start-fault.ts';

const missing = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /lib/node_modules/muster-jobs/chunks/a.mjs`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });

test('without the emulator of SQS, its package is named at the version that we use', () => {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  expect(startFault(missing('fauxqs'), '/data')).toMatch(
    new RegExp(`^--emulate-aws needs .*: run npm install -g fauxqs@${dependencies['fauxqs']}$`),
  );
});

test('any other package that is missing is a bug, and thrown', () => {
  expect(startFault(missing('lmdb'), '/data')).toBeNull();
});
