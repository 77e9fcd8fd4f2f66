/** At most as many arguments as every engine takes in one call. */
const CHUNK = 8_192;

/** Bytes in base64 (RFC 4648, section 4), with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
