import { createServer } from 'node:net';

/** Addresses of tasks: each is given to one task at a time, and again only when all others have been. */
export type Addresses = {
  take(): string;
  /** Another task's, of an earlier life of ours: it is not given to anybody. */
  keep(ip: string): void;
  release(ip: string): void;
};

/** Where all tasks are if the system has no addresses for them. */
export const SHARED_ADDRESS = '127.0.0.1';

/**
 * Addresses of this machine's own in 127.0.0.0/8, which Linux lets everybody bind without more ado; null: the system does
 * not (macOS), so tasks share {@link SHARED_ADDRESS}. The first is a random one, so that runtimes do not meet.
 */
export async function openAddresses(): Promise<Addresses | null> {
  const addresses = addressesFrom(Math.floor(Math.random() * ADDRESS_COUNT));
  const one = addresses.take();
  addresses.release(one);
  return (await canBind(one)) ? addresses : null;
}

/** For tests: the addresses in order, from the nth on. */
export function addressesFrom(start: number): Addresses {
  const used = new Set<string>();
  let next = start;
  return {
    take() {
      for (let tries = 0; tries < ADDRESS_COUNT; tries++) {
        const ip = addressAt(127, next++);
        if (used.has(ip)) continue;
        used.add(ip);
        return ip;
      }
      throw new Error('every address of 127.0.0.0/8 is in use');
    },
    keep: (ip) => void used.add(ip),
    release: (ip) => void used.delete(ip),
  };
}

/** 127.0.x.y is full of habits (localhost, Debian's own name, systemd's resolver); 0 and 255 mean networks and everybody. */
const [SECONDS, THIRDS, FOURTHS] = [254, 256, 254];
const ADDRESS_COUNT = SECONDS * THIRDS * FOURTHS;

/** The nth address of a network of 2^24; after the last the first comes again. */
export function addressAt(firstOctet: number, n: number): string {
  const fourth = (n % FOURTHS) + 1;
  const third = Math.floor(n / FOURTHS) % THIRDS;
  const second = (Math.floor(n / (FOURTHS * THIRDS)) % SECONDS) + 1;
  return `${firstOctet}.${second}.${third}.${fourth}`;
}

async function canBind(ip: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(0, ip, () => server.close(() => resolve(true)));
  });
}
