import { type Socket, connect } from 'node:net';
import { SessionError } from '../../container-sessions.ts';

/** As long as a server may take to accept. */
const CONNECT_MS = 10_000;

/** A TCP connection; either side may end its half. Throws a SessionError in the words of socat, which kubelets pass on. */
export async function connectTo(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    const refuse = (why: string): void => {
      socket.destroy();
      reject(new SessionError(`dial tcp ${address}:${port}: ${why}`));
    };
    socket.setTimeout(CONNECT_MS, () => refuse('i/o timeout'));
    socket.once('error', (error) =>
      refuse('code' in error && error.code === 'ECONNREFUSED' ? 'connect: connection refused' : error.message),
    );
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}
