import { LEDGER_FIELD } from '../../../domain/manifests/ledger-field.ts';
import { FRESH_LEDGER, type Ledger, type Quota, type Reserved } from './quota.ts';
import { type Amounts, QUOTA_KEYS, amountOf, amountText, isQuotaKey } from './quota-keys.ts';
import { NO_USAGE, type Usage } from './usage.ts';

type Texts = Readonly<Record<string, string>>;

/** A ResourceQuota as it is stored. */
type QuotaDocument = {
  readonly metadata: { readonly name?: unknown; readonly uid: string };
  readonly spec?: { readonly hard?: Texts };
  readonly status?: { readonly used?: Texts };
  readonly [LEDGER_FIELD]?: StoredLedger;
};

/** A usage as it is stored: what is not there is 0, as in ledgers of releases that counted less. */
type StoredUsage = Partial<Usage>;
type StoredLedger = Omit<Ledger, 'since' | 'open'> & {
  readonly since: StoredUsage;
  readonly open: readonly (Omit<Reserved, 'want' | 'added'> & Readonly<Record<'want' | 'added', StoredUsage>>)[];
};

/** What decides of a stored ResourceQuota: what is stored as this kind was admitted as one. */
export function quotaIn(document: object): Quota {
  const { metadata, spec, status, ledger } = document as QuotaDocument;
  const hard = amountsIn(spec?.hard ?? {});
  const known = amountsIn(status?.used ?? {});
  const used = Object.fromEntries(Object.entries(known).filter(([key]) => isQuotaKey(key) && hard[key] !== undefined));
  return {
    name: String(metadata.name),
    uid: metadata.uid,
    hard,
    used,
    ledger: ledger === undefined ? FRESH_LEDGER : ledgerIn(ledger),
  };
}

const usageIn = (stored: StoredUsage): Usage => ({ ...NO_USAGE, ...stored });

const ledgerIn = ({ since, open, ...numbers }: StoredLedger): Ledger => ({
  ...numbers,
  since: usageIn(since),
  open: open.map((each) => ({ ...each, want: usageIn(each.want), added: usageIn(each.added) })),
});

function amountsIn(texts: Texts): Amounts {
  const amounts: Record<string, number> = {};
  for (const key of QUOTA_KEYS) {
    const amount = amountOf(key, texts[key] ?? '');
    if (amount !== null) amounts[key] = amount;
  }
  return amounts;
}

/** The document with what has become of the quota. */
export const withQuota = <D extends object>(document: D, { hard, used, ledger }: Quota): D => ({
  ...document,
  status: { hard: textsOf(hard), used: textsOf(used) },
  [LEDGER_FIELD]: storedLedger(ledger),
});

const storedLedger = ({ since, open, ...numbers }: Ledger): StoredLedger => ({
  ...numbers,
  since: storedUsage(since),
  open: open.map((each) => ({ ...each, want: storedUsage(each.want), added: storedUsage(each.added) })),
});

/** What the first ledgers had is in all of them: code of that time reads nothing else, and misses none of it. */
const ALWAYS: readonly string[] = ['jobs', 'cronJobs', 'pods', 'cpu', 'memory'];

const storedUsage = (usage: Usage): StoredUsage =>
  Object.fromEntries(Object.entries(usage).filter(([name, amount]) => amount !== 0 || ALWAYS.includes(name)));

/** Whether what is shown as the limits is what they are. */
export function showsLimits(document: object, { hard }: Quota): boolean {
  const { status } = document as { readonly status?: { readonly hard?: Texts } };
  const [shown, real] = [status?.hard ?? {}, textsOf(hard)];
  return QUOTA_KEYS.every((key) => shown[key] === real[key]);
}

function textsOf(amounts: Amounts): Texts {
  const texts: Record<string, string> = {};
  for (const key of QUOTA_KEYS) {
    const amount = amounts[key];
    if (amount !== undefined) texts[key] = amountText(key, amount);
  }
  return texts;
}
