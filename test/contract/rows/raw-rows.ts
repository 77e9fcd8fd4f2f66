import { open } from 'lmdb';

/** Replaces rows of an LMDB file by other bytes, as only another program does. Names are partition and sort key with a space. */
export async function putRaw(path: string, rows: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const raw = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
  });
  for (const [name, bytes] of Object.entries(rows)) raw.putSync(Buffer.from(name.replace(' ', '\0')), bytes);
  await raw.close();
}
