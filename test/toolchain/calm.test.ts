import { exec, execFile, execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { objectionsTo } from '../calm/objections.ts';

const REFUSED = 'a test of the gate must not depend on this';

test.each([
  ['spawn', () => spawn('kubectl')],
  ['spawn, in a shell of its own choice', () => spawn('true', { shell: '/bin/bash' })],
  ['spawnSync', () => spawnSync('kubectl')],
  ['execFile', async () => promisify(execFile)('/usr/bin/kubectl')],
  ['execFileSync', () => execFileSync('git')],
  ['execSync', () => execSync('git')],
])('%s starts no program that may be missing', async (_, start) => {
  await expect(async () => start()).rejects.toThrow(REFUSED);
});

test('a shell and node are everywhere', async () => {
  expect((await promisify(exec)('echo here')).stdout).toBe('here\n');
  expect(spawnSync(process.execPath, ['--version']).stdout.toString()).toBe(`${process.version}\n`);
});

test('a port is any that is free, or one that this process holds', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const taken = createServer().listen(port, '127.0.0.1');
  expect(await once(taken, 'error')).toMatchObject([{ code: 'EADDRINUSE' }]);
  await new Promise((closed) => server.close(closed));
  expect(() => createServer().listen(port, '127.0.0.1')).toThrow(REFUSED);
  expect(() => createServer().listen({ port, host: '127.0.0.1' })).toThrow(REFUSED);
});

test('no packet that may be lost is waited for', () => {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  expect(() => socket.bind(0)).toThrow(REFUSED);
});

test.each([
  ['a measured time', `const began = ${'performance'}.now();`],
  ['a sleep', `await new Promise((done) => ${'set'}Timeout(done, 50));`],
])('%s is an objection', (_, text) => {
  expect(objectionsTo(text)).toHaveLength(1);
  expect(objectionsTo('vi.advanceTimersByTime(50);')).toEqual([]);
});
