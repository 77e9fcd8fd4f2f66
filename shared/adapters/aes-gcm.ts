import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes of a key. */
export const KEY_BYTES = 32;

/** Bytes that a sealed text has more than the text. */
export const EXTRA_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * Seals with AES-256-GCM (NIST SP 800-38D). Bytes: nonce (12), the text, and its tag (16).
 *
 * @param about what is authenticated with it, and is not in it: it opens with the same alone
 */
export function sealBytes(plain: Uint8Array, key: Uint8Array, about: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(about);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws for what {@link sealBytes} has not made with this key and `about`. */
export function openBytes(sealed: Uint8Array, key: Uint8Array, about: Uint8Array): Buffer {
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(about)
    .setAuthTag(sealed.subarray(tagAt));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
}
