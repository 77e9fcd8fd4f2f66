const PATTERN = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|n|u|[eE][+-]?\d{1,2})?$/;

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * Parses a Kubernetes quantity ("500m", "1Gi", "512M", "1e3") as a number of its base unit: CPUs or bytes.
 *
 * @returns null if the text is not a quantity (`resource.Quantity` of Kubernetes' API machinery)
 */
export function parseQuantity(text: string): number | null {
  const match = PATTERN.exec(text);
  if (match === null) return null;
  const [, sign, digits, suffix] = match;
  const magnitude = Number(digits) * factorOf(suffix ?? '');
  return sign === '-' ? -magnitude : magnitude;
}

const factorOf = (suffix: string): number => (suffix === '' ? 1 : (FACTORS[suffix] ?? 10 ** Number(suffix.slice(1))));
