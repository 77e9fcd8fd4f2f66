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
  const path = join(dataDir, FILE);
  let opened: Keys | null = null;
  const keys = (): Keys => (opened ??= readKeys(path));
  return {
    async sign(claims) {
      if (opened === null && !existsSync(path)) await makeKey(path);
      const payload = new TextEncoder().encode(JSON.stringify(claims));
      return new CompactSign(payload).setProtectedHeader({ alg: ALGORITHM }).sign(keys().own);
    },
    async read(token) {
      // Where nothing was ever signed, no token is ours.
      if (token.split('.', 4).length !== 3 || (opened === null && !existsSync(path))) return null;
      const { known } = keys();
      try {
        const { payload } = await compactVerify(token, known, { algorithms: [ALGORITHM] });
        return JSON.parse(new TextDecoder().decode(payload)) as unknown;
      } catch {
        return null;
      }
    },
  };
}

/** @throws disk errors */
async function makeKey(path: string): Promise<void> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const text = await exportPKCS8(privateKey);
  // Another request may have made it meanwhile.
  if (!existsSync(path)) writeWhole(path, text, 'durable');
}

/** @throws disk errors, and if others can read the file */
function readKeys(path: string): Keys {
  const file = readPrivateFile(path);
  if (file.kind === 'refused') throw new Error(`${path}: ${file.fault}`);
  return { own: createPrivateKey(file.text), known: createPublicKey(file.text) };
}
