import { createServer } from 'node:net';

/** Addresses of tasks. Each belongs to one task at a time and is reused only after all others. */
export type Addresses = {
  take(): string;
  /** Marks an address as used by a task of an earlier run: it is not assigned. */
  keep(ip: string): void;
  release(ip: string): void;
};

/** The address of all tasks if the system has no separate ones. */
export const SHARED_ADDRESS = '127.0.0.1';

/**
 * This machine's own addresses in 127.0.0.0/8, which Linux lets any process bind without setup. null: the system does not
 * (macOS), so tasks share {@link SHARED_ADDRESS}. The first is random, so that two runtimes do not collide.
 */
export async function openAddresses(): Promise<Addresses | null> {
  const addresses = addressesFrom(Math.floor(Math.random() * ADDRESS_COUNT));
  const one = addresses.take();
  addresses.release(one);
  return (await canBind(one)) ? addresses : null;
}

/** For tests: the addresses in order, starting with the nth. */
export const addressesFrom = (start: number): Addresses =>
  ring(start, ADDRESS_COUNT, (n) => addressAt(127, n), '127.0.0.0/8');

/** Those of the network `<prefix>.0.0/16`, but for the first, which is the network's own. */
export const addressesIn = (prefix: string): Addresses =>
  ring(
    1,
    THIRDS * FOURTHS,
    (n) => `${prefix}.${Math.floor(n / FOURTHS) % THIRDS}.${(n % FOURTHS) + 1}`,
    `${prefix}.0.0/16`,
  );

/** Takes the addresses in turn, the nth first. */
function ring(start: number, count: number, addressOf: (n: number) => string, name: string): Addresses {
  const used = new Set<string>();
  let next = start;
  return {
    take() {
      for (let tries = 0; tries < count; tries++) {
        const ip = addressOf(next++);
        if (used.has(ip)) continue;
        used.add(ip);
        return ip;
      }
      throw new Error(`every address of ${name} is in use`);
    },
    keep: (ip) => void used.add(ip),
    release: (ip) => void used.delete(ip),
  };
}

/**
 * 127.0.x.y has established uses (localhost, Debian's own host name, systemd's resolver); 0 and 255 are network and
 * broadcast addresses.
 */
const [SECONDS, THIRDS, FOURTHS] = [254, 256, 254];
const ADDRESS_COUNT = SECONDS * THIRDS * FOURTHS;

/** The nth address of a network of 2^24; the first follows the last. */
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
