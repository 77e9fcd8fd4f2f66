import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { has, parseStatusIndexes } from '../../shared/domain/base/index-set.ts';
import { expandVariables } from '../../shared/domain/base/variable-expansion.ts';
import { CLIENT_LIMITS, generateMatrix } from '../../shared/domain/items/generate-items.ts';
import { type JobItems, indexCount, itemValues, jobItemsOf } from '../../shared/domain/items/job-items.ts';
import { parseInlineItems } from '../../shared/schema/items/inline-items.ts';

// The examples without Muster: every index run as a task would be, in a workspace of its own, with a task's environment.

const EXAMPLES = join(import.meta.dirname, '../../examples');
const AT_ONCE = 2;
const Fates = z.object({ attempts: z.array(z.object({ index: z.coerce.string(), exitCode: z.number().optional() })) });

describe('mandelbrot', () => {
  let example: ReturnType<typeof exampleCopy>;
  let runs: readonly Run[];
  beforeAll(async () => {
    example = exampleCopy('mandelbrot');
    runs = await example.runAll();
  });
  afterAll(() => example.remove());

  test('every index draws its tile and says so in one line', () => {
    expect(example.completions).toBe(64);
    for (const [index, run] of runs.entries()) {
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toMatch(new RegExp(`^tile ${index}: [^\\n]+\\n$`));
    }
    expect(readdirSync(join(example.workspace, 'tiles')).sort()).toEqual(
      [...runs.keys()].map((index) => `${index}.ppm`).sort(),
    );
  });

  test('the tiles make one picture', async () => {
    const assembled = await example.runOriginal('assemble.mjs');
    expect(assembled).toMatchObject({ code: 0, stderr: '' });
    const picture = PNG.sync.read(readFileSync(join(example.workspace, 'mandelbrot.png')));
    expect([picture.width, picture.height]).toEqual([1024, 1024]);
    expect(colours(picture).size).toBeGreaterThan(10_000);
    // Tiles in the wrong places, or turned, would show as seams.
    expect(seam(picture, 128)).toBeLessThan(1.5 * seam(picture, 64));
  });

  test('a second attempt, even two at once, leaves the same bytes', async () => {
    const tile = join(example.workspace, 'tiles', '27.ppm');
    const before = readFileSync(tile);
    expect(await Promise.all([example.run(27), example.run(27)])).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(readFileSync(tile).equals(before)).toBe(true);
  });

  test('no picture is made when tiles are missing or cut short', async () => {
    const { workspace } = example;
    unlinkSync(join(workspace, 'tiles', '5.ppm'));
    writeFileSync(
      join(workspace, 'tiles', '40.ppm'),
      readFileSync(join(workspace, 'tiles', '40.ppm')).subarray(0, 1000),
    );
    rmSync(join(workspace, 'mandelbrot.png'), { force: true });
    const assembled = await example.runOriginal('assemble.mjs');
    expect(assembled.code).toBe(1);
    expect(assembled.stderr).toMatch(/^2 of 64 tiles are missing or damaged in .*: 5, 40\n/);
    expect(existsSync(join(workspace, 'mandelbrot.png'))).toBe(false);
  });

  test.each(['', '64', '-1', '1.5', 'x'])('index %j is refused', async (index) => {
    expect(await example.run(index)).toMatchObject({
      code: 1,
      stderr: `JOB_COMPLETION_INDEX must be 0..63, not '${index}'\n`,
    });
  });
});

describe('sweep', () => {
  let example: ReturnType<typeof exampleCopy>;
  let runs: readonly Run[];
  beforeAll(async () => {
    example = exampleCopy('sweep');
    runs = await example.runAll();
  });
  afterAll(() => example.remove());

  test('the points diverge that the simulation says diverge', () => {
    const { attempts } = Fates.parse(parse(readFileSync(join(EXAMPLES, 'sweep/fates.yaml'), 'utf8')));
    const diverging = attempts.find(({ exitCode }) => exitCode === 42)?.index ?? '';
    const set = parseStatusIndexes(diverging, example.completions);
    expect(runs.map(({ code }) => code)).toEqual(runs.map((_, index) => (has(set, index) ? 42 : 0)));
    // The success policy (10) is met before the last four can all have ended, when failed indexes would decide.
    expect(runs.filter(({ code }) => code === 0).length).toBeGreaterThanOrEqual(10 + 4);
  });

  test('every other point leaves a line, and the best are in the valley', () => {
    const losses = readFileSync(join(example.workspace, 'sweep.txt'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[0]));
    expect(losses).toHaveLength(runs.filter(({ code }) => code === 0).length);
    expect(Math.min(...losses)).toBeLessThan(1e-9);
  });
});

describe('wordcount', () => {
  let example: ReturnType<typeof exampleCopy>;
  const files = readFileSync(join(EXAMPLES, 'wordcount/files.txt'), 'utf8').trimEnd().split('\n');
  let runs: readonly Run[];
  beforeAll(async () => {
    example = exampleCopy('wordcount');
    runs = await example.runAll();
  });
  afterAll(() => example.remove());

  test('the Job has one index a line, and every text is listed and ends its last line', () => {
    expect(example.completions).toBe(files.length);
    expect(files.length).toBeGreaterThanOrEqual(12);
    expect([...files].sort()).toEqual(
      readdirSync(join(example.workspace, 'texts'))
        .map((name) => `texts/${name}`)
        .sort(),
    );
    const endsItsLastLine = (file: string) => readFileSync(join(example.workspace, file), 'latin1').endsWith('\n');
    expect(files.filter((file) => !endsItsLastLine(file))).toEqual([]);
  });

  test('every index counts its own text', () => {
    for (const [index, run] of runs.entries()) {
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toMatch(/^texts\/\S+: \d+ words, \d+ different ones\n$/);
      expect(run.stdout.startsWith(`${files[index]}: `)).toBe(true);
    }
  });

  test('the sum is what the shell computes over the same files', async () => {
    const pipeline = `cat $(cat files.txt) | tr -cs 'A-Za-z' '\\n' | tr 'A-Z' 'a-z' | sed '/^$/d' | sort | uniq -c | sort -k1,1nr -k2 | head -20`;
    const shell = await execute(['sh', '-c', pipeline], example.workspace, { LC_ALL: 'C' });
    const merged = await example.runOriginal('merge.mjs');
    expect(shell.stdout.split('\n')).toHaveLength(21);
    expect(asIndentedHere(merged.stdout)).toBe(asIndentedHere(shell.stdout));
    expect(readFileSync(join(EXAMPLES, 'wordcount/README.md'), 'utf8')).toContain(pipeline);
  });

  test('an index past the last line is refused', async () => {
    const refused = await example.run(files.length);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`must be 0..${files.length - 1}`);
  });

  test('nothing is merged when a text was not counted, or another text was', async () => {
    cpSync(join(example.workspace, 'counts/0.json'), join(example.workspace, 'counts/1.json'));
    unlinkSync(join(example.workspace, 'counts/2.json'));
    const merged = await example.runOriginal('merge.mjs');
    expect(merged).toMatchObject({ code: 1, stdout: '' });
    expect(merged.stderr).toContain(
      `2 of ${files.length} texts have not been counted: 1 (${files[1]}), 2 (${files[2]})`,
    );
  });
});

describe('files', () => {
  let example: ReturnType<typeof exampleCopy>;
  const files = readFileSync(join(EXAMPLES, 'files/files.txt'), 'utf8').trimEnd().split('\n');
  const MISSING = 'letters/not written yet.txt';
  let runs: readonly Run[];
  beforeAll(async () => {
    example = exampleCopy('files');
    runs = await example.runAll();
  });
  afterAll(() => example.remove());

  test('the manifest has the list, and the list has every letter and one that is not written', () => {
    expect(example.list?.rows.map(([file]) => file)).toEqual(files);
    expect(example.completions).toBe(files.length);
    const letters = readdirSync(join(example.workspace, 'letters')).map((name) => `letters/${name}`);
    expect([...files].sort()).toEqual([...letters, MISSING].sort());
    expect(files.filter((file) => /[^\x20-\x7E]/.test(file)).length).toBeGreaterThan(4);
    expect(files.some((file) => file.includes('  ')) && files.some((file) => file.includes('$'))).toBe(true);
  });

  test('every letter has a summary of its own, and only the missing one fails', () => {
    expect(runs.map(({ code }) => code !== 0)).toEqual(files.map((file) => file === MISSING));
    for (const [index, file] of files.entries())
      if (file !== MISSING) expect(runs[index]?.stdout).toMatch(/: \d+ words\n$/);
    expect(runs.map(({ stdout }) => stdout.replace(/: \d+ words\n$/, ''))).toEqual(
      files.map((file) => (file === MISSING ? '' : file)),
    );
    expect(readdirSync(join(example.workspace, 'summaries'))).toHaveLength(files.length - 1);
  });

  test('once it is written, it succeeds', async () => {
    writeFileSync(join(example.workspace, MISSING), 'here it is\n');
    expect(await example.run(files.indexOf(MISSING))).toMatchObject({ code: 0, stdout: `${MISSING}: 3 words\n` });
  });
});

describe('batch', () => {
  let example: ReturnType<typeof exampleCopy>;
  const numbers = readFileSync(join(EXAMPLES, 'batch/numbers.txt'), 'utf8').trimEnd().split('\n');
  let runs: readonly Run[];
  beforeAll(async () => {
    example = exampleCopy('batch');
    runs = await example.runAll();
  });
  afterAll(() => example.remove());
  const factored = (number: string): string => readFileSync(join(example.workspace, 'factors', number), 'utf8').trim();

  test('twenty numbers an index, and each has its factors', () => {
    expect(example.list?.rows.map(([number]) => number)).toEqual(numbers);
    expect(indexCount(numbers.length, 20)).toBe(example.completions);
    expect(runs.every(({ code, stdout }) => code === 0 && stdout.split('\n').length === 21)).toBe(true);
    const isPrime = (n: number): boolean =>
      n > 1 && Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, i) => i + 2).every((d) => n % d !== 0);
    for (const number of numbers) {
      const [left = '', right = ''] = factored(number).split(' = ');
      const factors = right.split(' * ').map(Number);
      expect([left, factors.reduce((product, factor) => product * factor, 1)]).toEqual([number, Number(number)]);
      expect(factors.filter((factor) => !isPrime(factor))).toEqual([]);
    }
  });

  test('tried again, it does only what is left; a bad number does not stop the others', async () => {
    const [, second = ''] = numbers;
    const before = factored(second);
    unlinkSync(join(example.workspace, 'factors', second));
    expect(await example.run(0)).toMatchObject({ code: 0, stdout: `${before}\n` });
    expect(factored(second)).toBe(before);
    const bad = await execute(['node', 'factor.mjs', 'seven\n15\n1'], example.workspace, {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    });
    expect(bad).toEqual({ code: 1, stdout: '15 = 3 * 5\n', stderr: 'not numbers above 1: "seven", "1"\n' });
  });
});

type Run = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** What of a manifest a task is made of; the rest is checked where Muster admits it. */
const Manifest = z.object({
  kind: z.literal('Job'),
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({
    completions: z.number().optional(),
    template: z.object({ spec: z.object({ containers: z.tuple([z.object({ command: z.array(z.string()) })]) }) }),
  }),
});
const MatrixList = z.object({
  kind: z.literal('WorkList'),
  spec: z.object({ matrix: z.record(z.string(), z.array(z.string())) }),
});

/** The Job of a file, and the list that it works on; null: it has none. */
function jobIn(file: string) {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map((document): unknown => document.toJS());
  const job = Manifest.parse(documents.at(-1));
  const items = jobItemsOf(job);
  return { job, list: documents.length > 1 ? matrixIn(documents[0]) : items === null ? null : inlineIn(items) };
}

function inlineIn({ source, batch }: JobItems) {
  const parsed = parseInlineItems(source.kind === 'inline' ? source.text : '');
  if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed));
  return { ...parsed.list, batch };
}

/** A server takes the names of a matrix in their own order. */
function matrixIn(document: unknown) {
  const { matrix } = MatrixList.parse(document).spec;
  const names = Object.keys(matrix).sort();
  const made = generateMatrix({ values: names.map((name) => ({ name, values: matrix[name] ?? [] })) }, CLIENT_LIMITS);
  if (made.kind !== 'ok') throw new Error(JSON.stringify(made));
  return { ...made.list, batch: 1 };
}

/** A copy of an example in a temporary workspace, without what earlier runs have left in the original. */
function exampleCopy(name: string) {
  const original = join(EXAMPLES, name);
  const workspace = mkdtempSync(join(tmpdir(), `muster-${name}-`));
  const outputs = readFileSync(join(original, '.gitignore'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => join(original, line));
  cpSync(original, workspace, {
    recursive: true,
    filter: (path) => !outputs.includes(path) && !outputs.includes(`${path}/`),
  });
  const { job, list } = jobIn(join(original, 'job.yaml'));
  const { command } = job.spec.template.spec.containers[0];
  const completions = job.spec.completions ?? list?.rows.length ?? 0;
  const task = { MUSTER_WORKSPACE: workspace, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  /** What the list gives to an index. */
  const variablesOf = (index: number): Record<string, string> => {
    if (list === null) return {};
    const rows = list.rows.slice(index * list.batch, (index + 1) * list.batch);
    const { columns, line, resultName } = itemValues(list.columns, rows, index);
    return { ...Object.fromEntries(columns), MUSTER_ITEM: line, MUSTER_RESULT_NAME: resultName };
  };
  const run = (index: number | string) => {
    const variables = variablesOf(Number(index));
    const words = command.map((word) => expandVariables(word, new Map(Object.entries(variables))));
    return execute(words, workspace, { ...task, ...variables, JOB_COMPLETION_INDEX: String(index) });
  };
  return {
    workspace,
    completions,
    list,
    /** Runs the manifest's command for one index, as a task is run. */
    run,
    /** Runs all indexes, a few at a time; the results in the order of the indexes. */
    async runAll(): Promise<readonly Run[]> {
      const runs: Run[] = [];
      const indexes = Array.from({ length: completions }, (_, index) => index).values();
      const worker = async () => {
        for (const index of indexes) runs[index] = await run(index);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return runs;
    },
    /** Runs a program that is no task (it may need packages) from the repository, over this workspace. */
    runOriginal: (program: string) => execute(['node', join(original, program)], workspace, task),
    remove: () => rmSync(workspace, { recursive: true, force: true }),
  };
}

async function execute(command: readonly string[], cwd: string, env: Record<string, string>): Promise<Run> {
  const [program = '', ...args] = command;
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function colours({ data }: PNG): Set<number> {
  const seen = new Set<number>();
  for (let at = 0; at < data.length; at += 4) seen.add(data.readUIntBE(at, 3));
  return seen;
}

/**
 * How much the picture changes, on average, from one pixel to the next across the lines, upright and level, at odd multiples of
 * `every` pixels (so that 64 names lines within tiles, and 128 lines between them).
 */
function seam({ data, width, height }: PNG, every: number): number {
  let sum = 0;
  let count = 0;
  const compare = (pixel: number, neighbour: number) => {
    for (let c = 0; c < 3; c++) sum += Math.abs(data.readUInt8(pixel * 4 + c) - data.readUInt8(neighbour * 4 + c));
    count++;
  };
  for (let line = every; line < width; line += 2 * every) {
    for (let y = 0; y < height; y++) compare(y * width + line, y * width + line - 1);
    for (let x = 0; x < width; x++) compare(line * width + x, (line - 1) * width + x);
  }
  return sum / count;
}

/** GNU's uniq indents its counts by seven columns, which merge.mjs does too; others by fewer. */
function asIndentedHere(lines: string): string {
  return process.platform === 'linux' ? lines : lines.replaceAll(/^ +/gm, '');
}
