import { HERE, bundleFor, runChild } from './run-child.ts';
const b = await bundleFor(HERE);
try {
  console.log(
    JSON.stringify(
      await runChild(b, 'crons', { crons: Number(process.argv[2]), due: Number(process.argv[3]) }),
      null,
      1,
    ),
  );
} finally {
  b.remove();
}
