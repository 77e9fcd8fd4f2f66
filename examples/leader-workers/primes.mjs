// Counts primes together. Index 0 leads: it waits until every worker answers by name, asks each for its ranges, adds up and
// prints the sum. The others work: they answer over HTTP until SIGTERM, and remember nothing.
//
//   JOB_COMPLETION_INDEX   0: the leader; 1..WORKERS: a worker
//   MUSTER_HOSTS_PATTERN   the names of all tasks, e.g. leader-workers-%d.workers.default.muster.internal
//   MUSTER_READY_HOSTNAME  the name that exists while all of them run; only if the Job's tasks belong together (gang.yaml)
//   MUSTER_ADDRESS         the task's own address; absent on AWS, where a task has its machine to itself
//   MUSTER_DNS             the DNS server that knows the names, as address:port; absent on AWS, where the system's own does
//   MUSTER_PORT            a port for this index, where tasks share one address (macOS)
//   COUNT_BELOW, WORKERS   what to count, by how many
//   REST_MS                a worker rests so long before it answers for a further range, for those who want to watch
//
// A worker that dies comes back as another task with another address and the same name. So the leader looks the name up
// again whenever a call fails, and asks again for that range. No packages: any image with node in it runs this file.

import { lookup, Resolver } from 'node:dns/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const env = process.env;
const index = numberIn('JOB_COMPLETION_INDEX');
const below = numberIn('COUNT_BELOW');
const workers = numberIn('WORKERS');
const restMs = Number(env.REST_MS ?? 0);
const pattern = env.MUSTER_HOSTS_PATTERN ?? '';
if (!pattern.includes('%d')) fail('MUSTER_HOSTS_PATTERN is not set: the Job needs a subdomain');

const PORT = 7070;
const RANGES_PER_WORKER = 10;
const ANSWER_MS = 60_000; // a task that vanishes with its machine says no word of it
const AGAIN_MS = 500;

const nameOf = (peer) => pattern.replace('%d', peer);
/** Everybody has an address and the same port; or one address, and ports in a row. */
const portOf = (peer) => (env.MUSTER_PORT === undefined ? PORT : Number(env.MUSTER_PORT) - index + peer);

process.on('SIGTERM', () => process.exit(0)); // as a container's first process it would not be heard otherwise
if (index === 0) await lead();
else work();

async function lead() {
  if (env.MUSTER_READY_HOSTNAME !== undefined) await allRun(env.MUSTER_READY_HOSTNAME);
  const all = Array.from({ length: workers }, (_, n) => n + 1);
  await Promise.all(all.map((worker) => ask(worker, '/hello')));
  console.log(`all ${workers} workers answer`);
  const sums = await Promise.all(all.map(sumOf));
  console.log(`there are ${sums.reduce((a, b) => a + b, 0)} primes below ${below}`);
}

/** Until that name has an address. */
async function allRun(name) {
  while (!(await addressOf(name).catch(() => ''))) await sleep(AGAIN_MS);
  console.log(`all run: ${name}`);
}

/** What a worker's ranges come to: every WORKERSth of all, one after the other. */
async function sumOf(worker) {
  const ranges = workers * RANGES_PER_WORKER;
  const edge = (range) => Math.floor((below * range) / ranges);
  let sum = 0;
  for (let range = worker - 1; range < ranges; range += workers) {
    sum += (await ask(worker, `/primes?from=${edge(range)}&to=${edge(range + 1)}`)).count;
  }
  return sum;
}

/** A worker's answer, also from its replacement: asks until there is one. */
async function ask(worker, path) {
  const name = nameOf(worker);
  for (let told = ''; ; await sleep(AGAIN_MS)) {
    try {
      const address = await addressOf(name);
      const url = `http://${address}:${portOf(worker)}${path}`;
      const answer = await (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })).json();
      // an address may have gone to another task since we got it
      if (answer.name !== name) throw new Error(`${address} is ${answer.name}`);
      if (told !== '' || path === '/hello') console.log(`${name} answers from ${address}`);
      return answer;
    } catch (error) {
      const reason = error.cause?.code ?? error.code ?? error.message;
      if (told !== reason) console.log(`${name} does not answer (${reason})`);
      told = reason;
    }
  }
}

/** Asked anew each time: nothing of a name's past is kept. */
async function addressOf(name) {
  if (env.MUSTER_DNS === undefined) return (await lookup(name, { family: 4 })).address;
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([env.MUSTER_DNS]);
  const [address] = await resolver.resolve4(name);
  return address;
}

function work() {
  const name = nameOf(index);
  const address = env.MUSTER_ADDRESS ?? '0.0.0.0';
  let answered = 0;
  const answer = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://worker');
    const isRange = pathname === '/primes';
    if (isRange && answered++ > 0) await sleep(restMs);
    const count = isRange ? countPrimes(Number(searchParams.get('from')), Number(searchParams.get('to'))) : 0;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ name, count }));
    if (isRange) console.log(`${count} primes in ${searchParams.get('from')}..${searchParams.get('to')}`);
  };
  // a call that makes no sense costs its caller an answer, not us our life
  const server = createServer((request, response) => answer(request, response).catch(() => response.destroy()));
  server.listen(portOf(index), address, () => console.log(`${name} is process ${process.pid} at ${address}`));
}

/** Primes p with from <= p < to: a sieve of that range by the primes up to the root. */
function countPrimes(from, to) {
  const composite = new Uint8Array(Math.max(0, to - from));
  for (let p = 2; p * p < to; p++) {
    if (!isPrime(p)) continue;
    for (let n = Math.max(p * p, Math.ceil(from / p) * p); n < to; n += p) composite[n - from] = 1;
  }
  let count = 0;
  for (let n = Math.max(2, from); n < to; n++) count += 1 - composite[n - from];
  return count;
}

function isPrime(p) {
  for (let d = 2; d * d <= p; d++) if (p % d === 0) return false;
  return true;
}

function numberIn(variable) {
  const given = env[variable] ?? '';
  if (!/^\d+$/.test(given)) fail(`${variable} must be a number, not '${given}'`);
  return Number(given);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
