// Makes the notices that go with a bundle: the licences of all packages whose code is in it, which most licences want in copies.
// `node notices.mjs METAFILE FILE` reads what esbuild says of a bundle, and writes FILE; build.mjs calls the function.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What may be bundled, by its SPDX identifier: licences that want no more than their text in copies, if that. */
const PERMITTED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0'];

/** Files of this repository for packages that come without a text, by the beginning of their names. */
const TEXTS = {
  '@aws-lambda-powertools/': ['notices/powertools.txt'],
  '@aws-sdk/': ['LICENSE'], // Apache-2.0, as ours
  '@bufbuild/protobuf': ['LICENSE', 'notices/protobuf.txt'],
  '@middy/core': ['notices/middy.txt'],
  rfc6902: ['notices/rfc6902.txt'],
};

const HEAD = 'Muster is distributed with code of these packages, under the licences below.\n';
const RULE = '-'.repeat(80);

/**
 * The notices of a bundle.
 *
 * @param metafile of esbuild, run in the folder `root`
 * @returns the text, the packages, and a sentence for each that may not be bundled: it has no text of its licence, or another one
 */
export async function noticesOf(metafile, root) {
  const packages = await Promise.all(foldersIn(metafile).map(async (folder) => read(folder, root)));
  const faults = packages.flatMap(faultsOf);
  const texts = new Map();
  for (const { title, text } of packages) texts.set(text, [...(texts.get(text) ?? []), title]);
  const parts = [...texts].map(([text, titles]) => `${RULE}\n${titles.join('\n')}\n\n${text}\n`);
  return { text: [HEAD, ...parts].join('\n'), faults, packages };
}

/** Folders of packages, each once, in order: what stands behind the last `node_modules`, with its scope. */
function foldersIn({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].toSorted();
}

async function read(folder, root) {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const found = (await readdir(join(root, folder))).filter(isText).toSorted();
  const files = [...found.filter((file) => !isNotice(file)), ...found.filter(isNotice)];
  const own = files.map((file) => join(root, folder, file));
  const isLicensed = !files.every(isNotice);
  const ours = Object.entries(TEXTS).find(([start]) => name.startsWith(start))?.[1] ?? [];
  const paths = isLicensed ? own : [...ours.map((file) => join(import.meta.dirname, file)), ...own];
  const texts = await Promise.all(paths.map(async (path) => readFile(path, 'utf8')));
  const text = texts.map((each) => each.replaceAll('\r\n', '\n').trim()).join('\n\n');
  return {
    name,
    version,
    title: `${name} ${version} (${license})`,
    license,
    text,
    isLicensed: isLicensed || ours.length > 0,
  };
}

const isText = (file) => /^(?:licen[cs]e|copying|notice)/i.test(file) && !/\.(?:[cm]?[jt]s|json)$/.test(file);
const isNotice = (file) => /^notice/i.test(file);

function faultsOf({ title, license, isLicensed }) {
  return [
    ...(isPermitted(license) ? [] : [`${title}: its licence is not one of ${PERMITTED.join(', ')}`]),
    ...(isLicensed
      ? []
      : [`${title}: it comes without the text of its licence; put it into notices/, and name it in notices.mjs`]),
  ];
}

/** An SPDX expression: all of `AND`, or one of `OR`. One with both needs somebody who reads it. */
function isPermitted(license) {
  const words = String(license).replaceAll(/[()]/g, '');
  const [all, any] = [words.split(' AND '), words.split(' OR ')];
  return all.length > 1 ? all.every((each) => PERMITTED.includes(each)) : any.some((each) => PERMITTED.includes(each));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , metafile, file] = process.argv;
  const { text, faults } = await noticesOf(JSON.parse(await readFile(metafile, 'utf8')), process.cwd());
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) await writeFile(file, text);
  else process.exitCode = 1;
}
