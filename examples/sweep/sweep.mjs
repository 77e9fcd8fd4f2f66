// One point of a parameter sweep: gradient descent with momentum into Rosenbrock's valley. JOB_COMPLETION_INDEX picks the
// step size and the momentum; exit code 42 says that these numbers diverge, and that trying them again is pointless.
import { appendFileSync } from 'node:fs';

const STEP_SIZES = [0.008, 0.004, 0.002, 0.001, 0.0005];
const MOMENTA = [0, 0.5, 0.8, 0.9];

const index = Number(process.env.JOB_COMPLETION_INDEX);
const stepSize = STEP_SIZES[Math.floor(index / MOMENTA.length)];
const momentum = MOMENTA[index % MOMENTA.length];

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
const line = `${loss.toExponential(3)}  step ${stepSize}  momentum ${momentum}  index ${index}`;
console.log(line);
appendFileSync('sweep.txt', `${line}\n`); // the workspace, which embedded tasks share
