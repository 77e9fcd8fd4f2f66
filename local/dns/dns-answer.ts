import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import type { FoundName } from '../cloudmap/create-cloudmap.ts';

export type Zone = {
  readonly zone: string;
  /** seconds for which a resolver may cache that a name does not exist */
  readonly negativeTtlSec: number;
  lookUp(name: string): FoundName;
  /** Picks the addresses for an answer. */
  choose(ips: readonly string[]): readonly string[];
};

/** Response codes of RFC 1035, 4.1.1. */
const RCODE = { noError: 0, formErr: 1, nxDomain: 3, notImp: 4, refused: 5 } as const;

/** The largest datagram for a client without EDNS (RFC 1035, 4.2.1), and our largest for one with it. */
const PLAIN_BYTES_MAX = 512;
const EDNS_BYTES_MAX = 1232;
const HEADER_BYTES = 12;

/**
 * The answer to one message, for this zone only; null if the message is not a query and gets no answer. Never throws,
 * whatever the bytes are. `bytesMax` is the transport's limit on the answer; null: the limit that the query sets for a
 * datagram.
 */
export function answerTo(message: Buffer, zone: Zone, bytesMax: number | null): Buffer | null {
  if (message.length < HEADER_BYTES) return null;
  const flags = message.readUInt16BE(2);
  if ((flags & QUERY_RESPONSE) !== 0) return null; // two servers must not answer each other forever
  const id = message.readUInt16BE(0);
  const headerOnly = (rcode: number): Buffer =>
    encode({ type: 'response', id, flags: (flags & (OPCODE | RECURSION_DESIRED)) | rcode });
  if ((flags & OPCODE) !== 0) return headerOnly(RCODE.notImp);
  try {
    return answerQuery(message, zone, bytesMax) ?? headerOnly(RCODE.formErr);
  } catch {
    return headerOnly(RCODE.formErr);
  }
}

const QUERY_RESPONSE = 0x8000;
const OPCODE = 0x7800;

/** null if no answer can repeat its question. */
function answerQuery(message: Buffer, zone: Zone, bytesMax: number | null): Buffer | null {
  const query = decode(message);
  const [question] = query.questions ?? [];
  // non-ASCII bytes would not be returned unchanged
  if (question === undefined || query.questions?.length !== 1 || !/^[\x21-\x7e]+$/.test(question.name)) return null;
  const opt = query.additionals?.find((record) => record.type === 'OPT');
  const { rcode, answers = [], authorities = [] } = decide(question, zone);
  const response: Packet = {
    type: 'response',
    id: query.id ?? 0,
    questions: [question],
    additionals: opt === undefined ? [] : [OPT],
  };
  const flags = ((query.flags ?? 0) & RECURSION_DESIRED) | (rcode === RCODE.refused ? 0 : AUTHORITATIVE_ANSWER) | rcode;
  const whole = encode({ ...response, flags, answers, authorities });
  const asked = opt?.type === 'OPT' ? Math.max(opt.udpPayloadSize, PLAIN_BYTES_MAX) : PLAIN_BYTES_MAX;
  if (whole.length <= (bytesMax ?? Math.min(asked, EDNS_BYTES_MAX))) return whole;
  return encode({ ...response, flags: flags | TRUNCATED_RESPONSE }); // the client then asks by TCP
}

/** We support no options. A client that sends some gets this reply, with the size that we accept (RFC 6891). */
const OPT: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: EDNS_BYTES_MAX,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

type Decision = { readonly rcode: number; readonly answers?: Answer[]; readonly authorities?: Answer[] };

function decide(
  {
    name,
    type,
    class: dnsClass,
  }: { readonly name: string; readonly type: string; readonly class?: string | undefined },
  zone: Zone,
): Decision {
  if (dnsClass !== 'IN') return { rcode: RCODE.refused };
  const found = zone.lookUp(name);
  if (found.kind === 'foreign') return { rcode: RCODE.refused };
  const nothing = { authorities: [soaOf(zone)] };
  if (found.kind === 'absent') return { rcode: RCODE.nxDomain, ...nothing };
  if (found.kind === 'addresses' && type === 'A') {
    const answers = zone
      .choose(found.ips)
      .map((data): Answer => ({ type: 'A', class: 'IN', name, ttl: found.ttlSec, data }));
    return { rcode: RCODE.noError, answers };
  }
  if (found.kind === 'empty' && found.isZone && type === 'SOA') return { rcode: RCODE.noError, answers: [soaOf(zone)] };
  return { rcode: RCODE.noError, ...nothing };
}

/** Says how long the missing name may be cached: its TTL and its last number (RFC 2308). */
const soaOf = ({ zone, negativeTtlSec }: Zone): Answer => ({
  type: 'SOA',
  class: 'IN',
  name: zone,
  ttl: negativeTtlSec,
  data: {
    mname: `ns.${zone}`,
    rname: `hostmaster.${zone}`,
    serial: 1,
    refresh: 7_200,
    retry: 900,
    expire: 1_209_600,
    minimum: negativeTtlSec,
  },
});
