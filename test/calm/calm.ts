import { ChildProcess } from 'node:child_process';
import { Socket } from 'node:dgram';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { Server } from 'node:net';
import { basename } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { isVerifying } from '../verify/verifying.ts';
import { objectionsTo } from './objections.ts';

/**
 * Runs before each test file of `npm test`, which is the gate. The gate must be red for no other reason than the change: not for
 * the clock, the load, a port, a neighbor, or what else is installed. So this refuses what would make it depend on them. A test that
 * needs such a thing belongs to a stage of `npm run verify`: `STAGES` in vitest.config.ts.
 */

/** Who has run `npm ci` has them. They run to their own end; dynoxide listens on an address that nobody else uses. */
const PROGRAMS = new Set([basename(process.execPath), 'sh', 'npx', 'esbuild', 'dynoxide']);

/** What every run of the gate draws. `npm run verify` draws at random. */
const SEED = 33;

function refuse(what: string): never {
  throw new Error(
    `${what}: a test of the gate must not depend on this. Put its file into a stage of vitest.config.ts.`,
  );
}

function refuseProgram(file: string): void {
  if (!PROGRAMS.has(basename(file))) refuse(`the program ${file}`);
}

/** A method of node's that calls `check` with its arguments first, which may throw. */
function guard(target: object, name: string, check: (...args: unknown[]) => void): void {
  const original: unknown = Reflect.get(target, name);
  if (!isFunction(original)) throw new Error(`node has no ${name} any more`);
  const guarded = function (this: unknown, ...args: unknown[]): unknown {
    check(...args);
    return Reflect.apply(original, this, args);
  };
  Reflect.set(target, name, Object.assign(guarded, original));
}

const isFunction = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === 'function';

function guardProcesses(): void {
  // What every asynchronous call comes to.
  guard(ChildProcess.prototype, 'spawn', (options) => refuseProgram((options as { readonly file: string }).file));
  const calls = createRequire(import.meta.url)('node:child_process') as object;
  for (const name of ['spawnSync', 'execFileSync']) guard(calls, name, (program) => refuseProgram(String(program)));
  guard(calls, 'execSync', (line) => refuse(`the line ${String(line)}`));
}

/** A port that this process holds is certainly taken; any other may be a neighbor's. */
function guardPorts(): void {
  const held = new Set<number>();
  guard(Server.prototype, 'listen', (at) => {
    const port = typeof at === 'object' && at !== null && 'port' in at ? at.port : at;
    if (typeof port === 'number' && port !== 0 && !held.has(port)) refuse(`the port ${port}`);
  });
  subscribe('tracing:net.server.listen:asyncEnd', (message) => {
    const { server } = message as { readonly server: Server };
    const at = server.address();
    if (typeof at !== 'object' || at === null) return;
    held.add(at.port);
    server.once('close', () => held.delete(at.port));
  });
  guard(Socket.prototype, 'bind', () => refuse('a UDP socket'));
}

/** Files share a process, where the first of them brings the guards. */
const GUARDED = Symbol.for('muster.test.calm');
if (!Reflect.has(globalThis, GUARDED)) {
  Reflect.set(globalThis, GUARDED, true);
  guardProcesses();
  guardPorts();
  syncBuiltinESMExports();
  if (!isVerifying) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
}

const { testPath } = expect.getState();
const [objection] = testPath === undefined ? [] : objectionsTo(readFileSync(testPath, 'utf8'));
if (objection !== undefined) refuse(objection);
