import { unreadableRows } from '../shared/domain/base/unreadable-row.ts';
import { databaseOf } from './data-folder.ts';

/**
 * Why a runtime cannot start, in one sentence with the file and what to do; null for an unexpected error, which the
 * caller throws. A full disk, or a file in place of a folder, is not a bug in this program.
 */
export function startFault(error: unknown, dataDir: string): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path, syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (error.name === 'StoreFileError' || error.name === 'EngineFault') return error.message;
  const [unreadable] = unreadableRows(error);
  if (unreadable !== undefined) return unreadable.message;
  if (code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'fauxqs'")) return NO_EMULATOR;
  if (syscall === 'listen' && code === 'EADDRINUSE') return `port ${port} is in use; omit --port to use a free one`;
  if (syscall === 'listen' && code === 'EACCES') return `only root may open port ${port}; choose one above 1023`;
  return BY_CODE[code ?? '']?.(path ?? dataDir, dataDir) ?? databaseFault(error.message, dataDir);
}

/** Muster's package does without it, because it brings four fifths of all packages. */
const NO_EMULATOR =
  '--emulate-aws needs a package that is not installed with Muster, an emulator of SQS: run npm install -g fauxqs@1.9.2';

/** Why the disk refused a write to the data folder; null if the disk is not the cause. */
export function diskFault(error: unknown, dataDir: string): string | null {
  if (!(error instanceof Error)) return null;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ENOSPC', 'EDQUOT'].includes(code) || FULL.test(error.message)) return full('', dataDir);
  return code === 'EROFS' || READ_ONLY.test(error.message) ? readOnly('', dataDir) : null;
}

type Sentence = (path: string, dataDir: string) => string;

const elsewhere = 'or use --data with another folder';
const full: Sentence = (_, dataDir) => `the disk of ${dataDir} is full: free some space, ${elsewhere}`;
const readOnly: Sentence = (_, dataDir) => `the disk of ${dataDir} is read-only: make it writable, ${elsewhere}`;
const closed: Sentence = (path) => `${path}: permission denied; change its owner or its mode, ${elsewhere}`;
const inTheWay: Sentence = (path) =>
  `${path}: this is a file instead of a folder, or a folder instead of a file; move it away, ${elsewhere}`;

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
    `${path} is a link, and Muster follows no links inside a data folder: put the file itself there, ${elsewhere}`,
};

const FULL = /disk is full|no space is left/i;
const READ_ONLY = /readonly database/i;

/** What SQLite reports through the engine, at its start or for a request. */
function databaseFault(message: string, dataDir: string): string | null {
  if (FULL.test(message)) return full('', dataDir);
  if (READ_ONLY.test(message)) return readOnly('', dataDir);
  const file = databaseOf(dataDir);
  if (/not a valid SQLite database|file is not a database|malformed/i.test(message))
    return `${file} is damaged: restore a copy, or start without its Jobs after \`mv ${file} ${file}.damaged\``;
  if (/unable to open database file/i.test(message)) return inTheWay(file, dataDir);
  return null;
}
