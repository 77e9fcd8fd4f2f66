import { CompactSign, compactVerify, exportPKCS8, generateKeyPair } from 'jose';
import { type KeyObject, createPrivateKey, createPublicKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateFile } from '../../../../local/private-file.ts';
import { writeWhole } from '../../../../local/whole-file.ts';
import type { AccountTokens } from '../ports/account-tokens.ts';

const FILE = 'account-tokens.key';
const ALGORITHM = 'ES256';

type Keys = { readonly own: KeyObject; readonly known: KeyObject };

/** Signs with a key of the data folder, which is made when it is first needed: tokens hold beyond a restart, and in no other folder. */
export function openSigner(dataDir: string): AccountTokens {
  let opened: Promise<Keys> | null = null;
  const keys = async (): Promise<Keys> => (opened ??= readKeys(join(dataDir, FILE)));
  return {
    async sign(claims) {
      const payload = new TextEncoder().encode(JSON.stringify(claims));
      return new CompactSign(payload).setProtectedHeader({ alg: ALGORITHM }).sign((await keys()).own);
    },
    async read(token) {
      if (token.split('.', 4).length !== 3) return null;
      try {
        const { payload } = await compactVerify(token, (await keys()).known, { algorithms: [ALGORITHM] });
        return JSON.parse(new TextDecoder().decode(payload)) as unknown;
      } catch {
        return null;
      }
    },
  };
}

/** @throws disk errors, and if others can read the file */
async function readKeys(path: string): Promise<Keys> {
  if (!existsSync(path)) {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    writeWhole(path, await exportPKCS8(privateKey), 'durable');
  }
  const file = readPrivateFile(path);
  if (file.kind === 'refused') throw new Error(`${path}: ${file.fault}`);
  return { own: createPrivateKey(file.text), known: createPublicKey(file.text) };
}
