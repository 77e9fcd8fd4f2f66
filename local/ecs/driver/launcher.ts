/**
 * Starts a container's command with variables that no shell passes on: names that are not identifiers (`db.password`, `-x`)
 * and names with a meaning for the shell itself. `env NAME=VALUE` would show the values to everyone in `ps`, so they come
 * through an open file. The launcher sits between shim and command, in the shim's group, and ends as the command does.
 *
 *     node -e LAUNCHER <command> [argument…]      fd 3: the whole environment, JSON, from its beginning
 */
export const LAUNCHER = `
const { closeSync, readFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const env = JSON.parse(readFileSync(3, 'utf8'));
closeSync(3);
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'];
let early = null;
for (const signal of SIGNALS) process.on(signal, () => (early ??= signal)); // the whole group gets them
const [command, ...rest] = process.argv.slice(1);
const child = spawn(command, rest, { env, stdio: 'inherit' });
if (early !== null) child.kill(early);
child.on('error', ({ message }) => {
  console.error(message);
  process.exit(126);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  for (const each of SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, signal);
});
`;
