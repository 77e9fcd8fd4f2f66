import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { outputTo } from '../cli/shell/output.ts';
import { runCommandLine } from '../cli/program/program.ts';
import { type Shell, processShell } from '../cli/shell/shell.ts';
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
    await drawLists(workspace, kubeconfig);
    await drawFlow(workspace, kubeconfig);
    await assemble(workspace);
    writeFileSync(join(PICTURES, 'mandelbrot.png'), shrunk(readFileSync(join(workspace, 'mandelbrot.png'))));
  } finally {
    await runtime.stop();
  }
}

const SUMMARY = 'sleep 1; sh summary.sh "$FILE"';
const LETTERS = 'run letters --image busybox --retries 0 -P 4 --per-completion-env FILE=@files.txt -- sh -c';
const LINES = 100_000;
const LONG = 'run long --image busybox --per-completion-env L=@lines.txt -- echo $L';

/** Jobs with work lists: the live view while some run and one has failed, how it has failed, and the upload of a long list. */
async function drawLists(folder: string, kubeconfig: string): Promise<void> {
  cpSync('examples/files', folder, { recursive: true });
  // The letter that is missing comes early, so that it has failed while others run.
  const names = readFileSync(join(folder, 'files.txt'), 'utf8').trimEnd().split('\n');
  writeFileSync(join(folder, 'files.txt'), `${names.at(-1)}\n${names.slice(0, -1).join('\n')}\n`);
  const count = (text: string, sign: string): number => text.split(sign).length - 1;
  await record([...LETTERS.split(' '), SUMMARY], folder, kubeconfig, (_text, at) => at + 1);
  const atWork = await record(['watch', 'letters'], folder, kubeconfig, (text) => {
    const [done, running] = [count(text, '■'), count(text, '□')];
    return text.includes('× 0 ') && running >= 4 ? done : 0;
  });
  writeFileSync(join(PICTURES, 'items.svg'), atWork);
  const failed = await record(['failures', 'letters'], folder, kubeconfig, (_text, at) => at + 1);
  writeFileSync(join(PICTURES, 'failures.svg'), failed);
  writeFileSync(join(folder, 'lines.txt'), Array.from({ length: LINES }, (_, n) => `line ${n}\n`).join(''));
  const upload = await record(LONG.split(' '), folder, kubeconfig, (text) => {
    const share = Number(/(\d+)\/100000 items/.exec(text)?.[1] ?? 0) / LINES;
    return share < 0.8 ? share : 0;
  });
  writeFileSync(join(PICTURES, 'upload.svg'), upload);
}

/** Jobs whose indexes wait for one another's, while most of them are at work. */
async function drawFlow(folder: string, kubeconfig: string): Promise<void> {
  cpSync('examples/map-reduce', folder, { recursive: true });
  cpSync('examples/wordcount/texts', join(folder, '../wordcount/texts'), { recursive: true });
  const atWork = await record(['run', '-f', 'flow.yaml', '--wait'], folder, kubeconfig, (text) =>
    /map +running/.test(text) ? text.split('running').length - 1 : 0,
  );
  writeFileSync(join(PICTURES, 'flow.svg'), atWork);
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
  const written: string[] = [`\u001B[2m$\u001B[0m muster ${words.map(quoted).join(' ')}\n`];
  const terminal = { size: () => SIZE, onResize: () => () => undefined };
  const output = outputTo((data) => void written.push(Buffer.from(data).toString()), terminal);
  const here = processShell();
  const env = { PATH: here.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8', FORCE_COLOR: '1' };
  const shell: Shell = { ...here, out: output, err: output, env, cwd };
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  await runCommandLine([...words.slice(0, end), '--kubeconfig', kubeconfig, ...words.slice(end)], shell);
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

/** As a user types it. */
const quoted = (word: string): string => (/^[\w@=./:-]+$/.test(word) ? word : `'${word}'`);

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
