// What a task runs: twenty numbers, a line each -> factors/<number>. A number that is done is not done again, so an
// index that is tried again does only what is left; and one bad number does not keep the others of its batch from being done.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(process.env.MUSTER_WORKSPACE ?? '.', 'factors');
mkdirSync(folder, { recursive: true });
const bad = [];
for (const text of (process.argv[2] ?? '').split('\n')) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 2) {
    bad.push(text);
    continue;
  }
  const file = join(folder, text);
  if (existsSync(file)) continue;
  const line = `${number} = ${factorsOf(number).join(' * ')}`;
  writeFileSync(`${file}.part`, `${line}\n`);
  renameSync(`${file}.part`, file); // complete or absent
  console.log(line);
}
if (bad.length > 0) {
  console.error(`not numbers above 1: ${bad.map((text) => JSON.stringify(text)).join(', ')}`);
  process.exitCode = 1;
}

function factorsOf(number) {
  const factors = [];
  let rest = number;
  for (let divisor = 2; divisor * divisor <= rest; divisor++)
    for (; rest % divisor === 0; rest /= divisor) factors.push(divisor);
  return rest > 1 ? [...factors, rest] : factors;
}
