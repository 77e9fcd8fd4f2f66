import { createCipheriv, createDecipheriv } from 'node:crypto';
import { type SealedFor, type Sealer, SealError } from '../../ports/sealer.ts';

const KEY = Buffer.alloc(32, 7);

/** Seals at once, and the same in each run: a simulation has neither threads nor luck of its own. */
export function createMemorySealer(): Sealer {
  let sealed = 0;
  return {
    async seal(plain, of) {
      const nonce = Buffer.alloc(12);
      nonce.writeUInt32BE(++sealed);
      const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(about(of));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    async open(bytes, of) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, 12))
          .setAAD(about(of))
          .setAuthTag(bytes.subarray(bytes.length - 16));
        return Buffer.concat([decipher.update(bytes.subarray(12, bytes.length - 16)), decipher.final()]);
      } catch {
        throw new SealError('it is not what was sealed');
      }
    },
  };
}

const about = (of: SealedFor): Uint8Array => Buffer.from(JSON.stringify(of));
