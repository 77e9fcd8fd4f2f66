import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Keys = { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string };

export type Expected = { readonly keys: Keys; readonly region: string; readonly nowMs: number };

/** What is wrong with a request's signature, in AWS's words; null: nothing. Written by AWS's description, not with its SDK. */
export function wrongIn(message: IncomingMessage, body: Buffer, { keys, region: own, nowMs }: Expected): string | null {
  const { headers } = message;
  const scheme =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, id, day = '', region = '', service = '', names = '', signature] =
    scheme.exec(headers.authorization ?? '') ?? [];
  if (id === undefined) return 'Missing Authentication Token';
  if (id !== keys.accessKeyId) return 'The security token included in the request is invalid.';
  if (headers['x-amz-security-token'] !== keys.sessionToken)
    return 'The security token included in the request is expired';
  const date = String(headers['x-amz-date']);
  const dateMs = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (dateMs < nowMs - 300_000) return `Signature expired: ${date} is now earlier than ${nowMs} (5 min.)`;
  if (dateMs > nowMs + 300_000) return `Signature not yet current: ${date} is still later than ${nowMs} (5 min.)`;
  if (!date.startsWith(day) || region !== own || service !== 'execute-api')
    return `Credential should be scoped to a valid region and service, not ${day}/${region}/${service}`;
  if (!names.split(';').includes('host')) return "'Host' must be a 'SignedHeader' in the AWS Authorization.";
  const [path = '', search = ''] = (message.url ?? '').split(/\?(.*)/s);
  const canonical = [
    message.method,
    path.split('/').map(encoded).join('/'), // each segment twice: it came encoded once
    search === '' ? '' : search.split('&').map(pair).sort(byCodePoint).join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const right = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex');
  return signature === right
    ? null
    : 'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.';
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A parameter as AWS reads it (`+` is a plus), and in the one spelling that it signs. */
function pair(text: string): string {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  return `${encoded(decodeURIComponent(name))}=${encoded(decodeURIComponent(value))}`;
}

const encoded = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
