import { databaseOf } from './data-folder.ts';

/**
 * What keeps a runtime from starting, as one sentence with the file and what to do; null for an unexpected error, which is
 * thrown. A full disk, or a file where a folder belongs, is not a bug in this program.
 */
export function startFault(error: unknown, dataDir: string): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path, syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (error.name === 'StoreFileError') return error.message;
  if (syscall === 'listen' && code === 'EADDRINUSE') return `port ${port} is taken; leave --port out to get a free one`;
  if (syscall === 'listen' && code === 'EACCES') return `port ${port} may be opened by root only; take one above 1023`;
  return BY_CODE[code ?? '']?.(path ?? dataDir, dataDir) ?? databaseFault(error.message, dataDir);
}

/** Why a disk refuses writes, from an error of a write to the data folder; null if the disk is not the cause. */
export function diskFault(error: unknown, dataDir: string): string | null {
  if (!(error instanceof Error)) return null;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOSPC', 'EDQUOT'].includes(code) || FULL.test(error.message)) return full('', dataDir);
  return code === 'EROFS' || READ_ONLY.test(error.message) ? readOnly('', dataDir) : null;
}

type Sentence = (path: string, dataDir: string) => string;

const elsewhere = 'or give --data another folder';
const full: Sentence = (_, dataDir) => `the disk of ${dataDir} is full: free some space, ${elsewhere}`;
const readOnly: Sentence = (_, dataDir) => `the disk of ${dataDir} is read-only: make it writable, ${elsewhere}`;
const closed: Sentence = (path) => `${path}: permission is denied; make it yours, ${elsewhere}`;
const inTheWay: Sentence = (path) =>
  `${path}: a file stands where a folder is needed, or the other way round; move it away, ${elsewhere}`;

const BY_CODE: Readonly<Record<string, Sentence>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EROFS: readOnly,
  EACCES: closed,
  EPERM: closed,
  ENOTDIR: inTheWay,
  EISDIR: inTheWay,
  EEXIST: inTheWay,
  ELOOP: (path) =>
    `${path} is a link, and none is followed inside a data folder: put the file itself there, ${elsewhere}`,
};

const FULL = /disk is full/i;
const READ_ONLY = /readonly database/i;

/** What SQLite reports through the engine, at its start or for a request. */
function databaseFault(message: string, dataDir: string): string | null {
  if (FULL.test(message)) return full('', dataDir);
  if (READ_ONLY.test(message)) return readOnly('', dataDir);
  const file = databaseOf(dataDir);
  if (/not a valid SQLite database|file is not a database|malformed/i.test(message))
    return `${file} is damaged: put a copy of it in its place, or start without its Jobs after \`mv ${file} ${file}.damaged\``;
  if (/unable to open database file/i.test(message)) return inTheWay(file, dataDir);
  return null;
}
