import { expect, test } from 'vitest';
import { type Files, aFolder, itemsOf } from './typed-line.ts';

const RUN = 'run pairs --image x --items';
const files: Files = {
  'cells.csv': 'FILE,SIZE\n"two\nlines",1\nplain,2\n"a\r\nb",3\n',
  'plain.csv': 'FILE\r\na\r\nb\r\n',
  'lines.jsonl': '["a"]\n["b\\nc"]\n',
  'odd.jsonl': '["a\\rb"]\n["c\\u2028d"]\n',
};

test('a value with a line break is one value, as it is written', async () => {
  const { job } = await aFolder(files).job(`${RUN} @cells.csv --header -- ls`);
  expect(itemsOf(job)).toEqual(['FILE\tSIZE', '["two\\nlines","1"]', 'plain\t2', '["a\\r\\nb","3"]']);
});

test('with --batch it is refused, with its line and its column', async () => {
  const refused = await aFolder(files).type(`${RUN} @cells.csv --header --batch 2 -- ls`);
  const why = 'column FILE: has a line break, and line breaks separate the items of a batch';
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain(`cells.csv:2: ${why}\ncells.csv:5: ${why}\n`);
  expect((await aFolder(files).type(`${RUN} @lines.jsonl --batch 2 -- ls`)).err).toContain(
    'lines.jsonl:2: column ITEM',
  );
});

test('with --batch, lines of Windows are lines, and what is no line break stays', async () => {
  expect(itemsOf((await aFolder(files).job(`${RUN} @plain.csv --header --batch 2 -- ls`)).job)).toEqual([
    'FILE',
    'a',
    'b',
  ]);
  expect(itemsOf((await aFolder(files).job(`${RUN} @odd.jsonl --batch 2 -- ls`)).job)).toEqual([
    'ITEM',
    'a\rb',
    'c\u2028d',
  ]);
});
