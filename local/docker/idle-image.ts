import * as z from 'zod';
import { type Engine, EngineError } from './engine.ts';
import { idleProgram } from './idle-program.ts';

/** Made on the machine when it is needed first, and the same for all installations: nothing of it depends on one. */
export const IDLE_IMAGE = 'muster-idle:1';

const VersionSchema = z.looseObject({ Arch: z.string().optional() });

/** Makes the image of {@link idleProgram} in an engine that does not have it. */
export async function provideIdleImage(engine: Engine): Promise<void> {
  try {
    await engine.ask({ method: 'GET', path: `/images/${IDLE_IMAGE}/json` });
    return;
  } catch (error) {
    if (!(error instanceof EngineError && error.status === 404)) throw error;
  }
  const { Arch } = VersionSchema.parse(await engine.ask({ method: 'GET', path: '/version' }));
  const program = idleProgram(Arch === 'arm64' || Arch === 'aarch64' ? 'arm64' : 'amd64');
  const [repo = '', tag = ''] = IDLE_IMAGE.split(':');
  await engine.send(
    { method: 'POST', path: '/images/create', query: { fromSrc: '-', repo, tag, changes: 'ENTRYPOINT ["/idle"]' } },
    archiveOf('idle', program),
  );
}

const BLOCK = 512;

/** A tar archive of one program (POSIX.1-1988, ustar). */
function archiveOf(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write('0000755\0', 100); // mode
  header.write('0000000\0', 108); // owner
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136); // time
  header.write(' '.repeat(8), 148); // the checksum counts as blanks
  header.write('0', 156); // a file
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * BLOCK)]);
}
