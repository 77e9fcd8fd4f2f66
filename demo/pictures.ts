import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { runCommandLine } from '../cli/program/program.ts';
import { type Shell, processShell } from '../cli/shell.ts';
import { startLocalRuntime } from '../local/runtime.ts';
import { assemble } from './assemble.ts';
import { createScreen } from './terminal-picture.ts';

/** `npm run pictures`: redraws docs/pictures from what the command line shows while the embedded runtime works. */
const PICTURES = 'docs/pictures';
const SIZE = { columns: 84, rows: 26 };
/** The mandelbrot is drawn with half of its pixels each way. */
const SHRINK = 2;

async function drawAll(scratch: string): Promise<void> {
  const workspace = join(scratch, 'workspace');
  cpSync('examples/mandelbrot', workspace, {
    recursive: true,
    filter: (path) => !/\/(tiles|mandelbrot\.png)$/.test(path),
  });
  const runtime = await startLocalRuntime({
    port: null,
    dataDir: join(scratch, 'data'),
    workspaceDir: workspace,
    driver: 'process',
    say: () => undefined,
  });
  if (runtime.kind !== 'started') throw new Error(runtime.reason);
  try {
    const { kubeconfig } = runtime;
    const half = await record(['run', '-f', 'job.yaml', '--wait'], workspace, kubeconfig, (text) => {
      const done = text.split('■').length - 1;
      return done > 0 && done <= 32 ? done : 0;
    });
    writeFileSync(join(PICTURES, 'run.svg'), half);
    writeFileSync(join(workspace, 'failing.yaml'), FAILING);
    const end = await record(['run', '-f', 'failing.yaml', '--wait'], workspace, kubeconfig, (_text, at) => at + 1);
    writeFileSync(join(PICTURES, 'failure.svg'), end);
    await assemble(workspace);
    writeFileSync(join(PICTURES, 'mandelbrot.png'), shrunk(readFileSync(join(workspace, 'mandelbrot.png'))));
  } finally {
    await runtime.stop();
  }
}

/** A Job whose index 7 fails as real programs do. */
const FAILING = `
apiVersion: batch/v1
kind: Job
metadata: {name: resize}
spec:
  completions: 12
  parallelism: 4
  completionMode: Indexed
  backoffLimitPerIndex: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: resize
        image: python:3
        command: [sh, -c, 'sleep 0.2; if [ $JOB_COMPLETION_INDEX = 7 ]; then echo "Traceback (most recent call last):" >&2; echo "OSError: photo-7.jpg: image file is truncated" >&2; exit 1; fi']
`;

/**
 * Runs a command line in our own terminal.
 *
 * @param worth rates the terminal's content as a picture, after each of its writes
 * @returns the best picture that it showed, as SVG
 */
async function record(
  words: readonly string[],
  cwd: string,
  kubeconfig: string,
  worth: (text: string, at: number) => number,
): Promise<string> {
  const written: string[] = [`\u001B[2m$\u001B[0m muster ${words.join(' ')}\n`];
  const terminal = { size: () => SIZE, onResize: () => () => undefined };
  const output = { write: (text: string) => void written.push(text), terminal };
  const here = processShell();
  const env = { PATH: here.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8', FORCE_COLOR: '1' };
  const shell: Shell = { ...here, out: output, err: output, env, cwd };
  await runCommandLine([...words, '--kubeconfig', kubeconfig], shell);
  const screen = createScreen(SIZE.columns, SIZE.rows);
  let best = { worth: 0, picture: '' };
  for (const [at, text] of written.entries()) {
    await screen.write(text);
    const value = worth(screen.text(), at);
    if (value > best.worth) best = { worth: value, picture: screen.picture() };
  }
  if (best.worth === 0) throw new Error(`nothing to draw: muster ${words.join(' ')} wrote ${JSON.stringify(written)}`);
  return best.picture;
}

/** The same PNG with each square of pixels reduced to its mean color. */
function shrunk(file: Buffer): Buffer {
  const from = PNG.sync.read(file);
  const to = new PNG({ width: from.width / SHRINK, height: from.height / SHRINK, colorType: 2 });
  for (let y = 0; y < to.height; y++)
    for (let x = 0; x < to.width; x++)
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let i = 0; i < SHRINK ** 2; i++) {
          const [down, right] = [Math.floor(i / SHRINK), i % SHRINK];
          sum += from.data[((y * SHRINK + down) * from.width + x * SHRINK + right) * 4 + channel] ?? 0;
        }
        to.data[(y * to.width + x) * 4 + channel] = sum / SHRINK ** 2;
      }
  return PNG.sync.write(to, { colorType: 2 });
}

const scratch = mkdtempSync(join(tmpdir(), 'muster-pictures-'));
try {
  mkdirSync(PICTURES, { recursive: true });
  await drawAll(scratch);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
