const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The number that a quantity of Kubernetes stands for, such as `3500m` or `16Gi`; 0 of a text that is none. */
export function amountOf(quantity: string): number {
  const [, digits, suffix] = /^([+-]?[\d.]+)([a-zA-Z]*)$/.exec(quantity) ?? [];
  return digits === undefined || suffix === undefined ? 0 : Number(digits) * (SUFFIXES[suffix] ?? 0);
}

/** A number of bytes: `12 B`, `3.4 KiB`. */
export function bytesWords(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const nth = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 2 ** (10 * nth);
  return `${nth === 0 ? value : value.toFixed(1)} ${units[nth]}`;
}
