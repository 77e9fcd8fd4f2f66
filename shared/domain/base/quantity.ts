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

/** How Kubernetes writes a quantity: in powers of 1024 what was written in such, and all else in powers of 1000. */
export type QuantityFormat = 'binary' | 'decimal';

export const formatOf = (text: string): QuantityFormat => (text.endsWith('i') ? 'binary' : 'decimal');

const DECIMAL = ['k', 'M', 'G', 'T', 'P', 'E'] as const;
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** As Kubernetes writes a quantity (`CanonicalizeBytes`): in the largest unit in which it is a whole number; exact to a thousandth. */
export function quantityText(amount: number, format: QuantityFormat): string {
  const thousandths = Math.round(amount * 1000);
  if (format === 'binary' && Math.abs(amount) >= 1024) return inUnits(Math.ceil(amount - SLACK), 1024, BINARY);
  return thousandths % 1000 === 0 ? inUnits(thousandths / 1000, 1000, DECIMAL) : `${thousandths}m`;
}

const SLACK = 1e-6;

function inUnits(amount: number, step: number, units: readonly string[]): string {
  let [rest, nth] = [amount, 0];
  while (rest !== 0 && nth < units.length && rest % step === 0) [rest, nth] = [rest / step, nth + 1];
  return `${rest}${units[nth - 1] ?? ''}`;
}
