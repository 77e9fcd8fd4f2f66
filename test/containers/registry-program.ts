import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

// A registry on loopback, as far as pulls need one (OCI Distribution Specification 1.1, Docker Registry HTTP API V2): one image for
// every repository name. `registry-program.ts <folder> <port> <user:password or ''> <bytes per 100 ms>`; the
// folder has `manifest.json`, and blobs by their digests.

const [folder = '', port = '', login = '', pace = ''] = process.argv.slice(2);
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

createServer((request, response) => {
  const { url = '', method = '', headers } = request;
  const answer = (status: number, more: Record<string, string | number> = {}): void => {
    response.writeHead(status, { 'Docker-Distribution-Api-Version': 'registry/2.0', ...more });
  };
  const serve = async (): Promise<void> => {
    if (login !== '' && headers.authorization !== `Basic ${Buffer.from(login).toString('base64')}`) {
      answer(401, { 'WWW-Authenticate': 'Basic realm="test"', 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'log in first' }] }));
      return;
    }
    const [, blob] = /\/blobs\/(sha256:[0-9a-f]{64})$/.exec(url) ?? [];
    const file = join(folder, blob ?? 'manifest.json');
    const { size } = await stat(file);
    if (url === '/v2/') answer(200, { 'Content-Length': 0 });
    else if (blob === undefined) {
      const { digest } = JSON.parse(await readFile(join(folder, 'digest.json'), 'utf8')) as { digest: string };
      answer(200, { 'Content-Type': MANIFEST, 'Content-Length': size, 'Docker-Content-Digest': digest });
    } else answer(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size });
    if (method === 'HEAD' || url === '/v2/') {
      response.end();
      return;
    }
    for await (const chunk of createReadStream(file, { highWaterMark: Number(pace) })) {
      response.write(chunk);
      if (size > Number(pace)) await setTimeout(100);
    }
    response.end();
  };
  serve().catch(() => response.destroy());
}).listen(Number(port), '127.0.0.1');
