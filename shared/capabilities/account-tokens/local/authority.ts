import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { createPrivateKey, webcrypto } from 'node:crypto';

/** A certificate and its key, in PEM. */
export type KeyPair = { readonly certificate: string; readonly key: string };

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const YEARS_10_MS = 3650 * DAY_MS;
/** Clocks of containers are this machine's; a client library may still be a little strict. */
const BEFORE_MS = 3_600_000;

/** Makes an authority whose certificates containers trust. */
export async function makeAuthority(nowMs: number): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=muster local',
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(nowMs - BEFORE_MS),
    notAfter: new Date(nowMs + YEARS_10_MS),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(keys) };
}

/** A certificate for a server at this IP address, for as long as its authority. */
export async function certify(authority: KeyPair, address: string, nowMs: number): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certificate);
  const keys = await newKeys();
  const pkcs8 = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' });
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=muster',
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(nowMs - BEFORE_MS),
    notAfter: issuer.notAfter,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new SubjectAlternativeNameExtension([{ type: 'ip', value: address }]),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await pemOf(keys) };
}

const newKeys = async (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function pemOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }).export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
}
