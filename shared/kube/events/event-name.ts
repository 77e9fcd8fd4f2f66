/**
 * An Event's name and uid, the same whenever it is derived: `<object>.<16 hex digits>`, as Kubernetes' recorder forms it.
 * `key`: distinguishes it from all others, and includes the object's uid.
 */
export function eventIdentity(objectName: string, key: string): { readonly name: string; readonly uid: string } {
  const [a, b, c, d] = [0, 1, 2, 3].map((lane) => hashOf(key, lane)) as [string, string, string, string];
  return {
    name: `${objectName}.${a}${b}`,
    // Version 8 of RFC 9562: a UUID with custom bits.
    uid: `${a}-${b.slice(0, 4)}-8${b.slice(5)}-a${c.slice(1, 4)}-${c.slice(4)}${d}`,
  };
}

/** The object that an Event of this name is about. */
export const objectOfEvent = (eventName: string): string => {
  const dot = eventName.lastIndexOf('.');
  return dot < 0 ? eventName : eventName.slice(0, dot);
};

/** 32 bits of the text as hex; lanes are independent. Names need to differ, not to keep secrets. */
function hashOf(text: string, lane: number): string {
  let bits = mix(lane + 1);
  for (let i = 0; i < text.length; i++) bits = mix(bits ^ (text.charCodeAt(i) + lane * 0x1_0000));
  return (bits >>> 0).toString(16).padStart(8, '0');
}

/** Spreads each of 32 bits over all of them (the finish of MurmurHash3). */
function mix(bits: number): number {
  let x = bits + 0x9e37_79b9;
  x = Math.imul(x ^ (x >>> 16), 0x85eb_ca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2_ae35);
  return x ^ (x >>> 16);
}
