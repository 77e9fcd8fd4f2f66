// One point of a parameter sweep: gradient descent into Rosenbrock's valley, with a step size and a momentum, its two arguments.
// Exit code 42 says that these numbers diverge, and that trying them again is pointless.
import { appendFileSync } from 'node:fs';

const [stepSize, momentum] = process.argv.slice(2).map(Number);

let [x, y] = [-1.2, 1];
let [vx, vy] = [0, 0];
for (let step = 0; step < 4000; step++) {
  vx = momentum * vx - stepSize * (-400 * x * (y - x * x) - 2 * (1 - x));
  vy = momentum * vy - stepSize * 200 * (y - x * x);
  x += vx;
  y += vy;
  if (!(Math.abs(x) < 1e3)) {
    console.error(`step ${stepSize}, momentum ${momentum}: diverges at step ${step}`);
    process.exit(42);
  }
}
const loss = 100 * (y - x * x) ** 2 + (1 - x) ** 2;
const line = `${loss.toExponential(3)}  step ${stepSize}  momentum ${momentum}`;
console.log(line);
appendFileSync('sweep.txt', `${line}\n`); // the workspace, which embedded tasks share
