import { spawn } from 'node:child_process';

/** Lets a program of the desktop open an address. If it cannot, the address is printed anyway. */
export function startOpener(program: string, address: string): void {
  const opener = spawn(program, [address], { detached: true, stdio: 'ignore' });
  opener.once('error', () => undefined);
  opener.unref();
}
