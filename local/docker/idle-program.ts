/**
 * A program that waits until it is killed, for containers that only hold something: 20 bytes of machine code in an ELF file,
 * assembled here, because no image can be taken for granted on a machine, and a binary has no place in a repository.
 * It is process 1 of its container, so a signal without a handler has no effect but SIGKILL's (pid_namespaces(7)).
 */
export function idleProgram(architecture: 'amd64' | 'arm64'): Buffer {
  const { machine, code } = PROGRAMS[architecture];
  const header = Buffer.alloc(HEADER_BYTES + SEGMENT_BYTES);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // 64 bits, little-endian, version 1
  header.writeUInt16LE(2, 16); // an executable
  header.writeUInt16LE(machine, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BASE + BigInt(header.length), 24); // where it begins
  header.writeBigUInt64LE(BigInt(HEADER_BYTES), 32); // where the segments are described
  header.writeUInt16LE(HEADER_BYTES, 52);
  header.writeUInt16LE(SEGMENT_BYTES, 54);
  header.writeUInt16LE(1, 56); // one segment
  const size = BigInt(header.length + code.length);
  header.writeUInt32LE(1, HEADER_BYTES); // is loaded
  header.writeUInt32LE(5, HEADER_BYTES + 4); // may be read and executed
  header.writeBigUInt64LE(BASE, HEADER_BYTES + 16);
  header.writeBigUInt64LE(BASE, HEADER_BYTES + 24);
  header.writeBigUInt64LE(size, HEADER_BYTES + 32);
  header.writeBigUInt64LE(size, HEADER_BYTES + 40);
  header.writeBigUInt64LE(0x1000n, HEADER_BYTES + 48);
  return Buffer.concat([header, code]);
}

const BASE = 0x400000n;
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;

/** Numbers of system calls: Linux, `pause` (x86-64), `ppoll` (arm64, which has no `pause`). */
const PROGRAMS = {
  amd64: {
    machine: 62,
    // again: mov eax, 34; syscall; jmp again
    code: Buffer.from([0xb8, 0x22, 0x00, 0x00, 0x00, 0x0f, 0x05, 0xeb, 0xf7]),
  },
  arm64: {
    machine: 183,
    // again: mov x0, 0; mov x1, 0; mov x2, 0; mov x3, 0; mov x8, 73; svc 0; b again
    code: Buffer.from(
      ['d2800000', 'd2800001', 'd2800002', 'd2800003', 'd2800928', 'd4000001', '17fffffa'].flatMap((word) => [
        ...Buffer.from(word, 'hex').reverse(),
      ]),
    ),
  },
} as const;
