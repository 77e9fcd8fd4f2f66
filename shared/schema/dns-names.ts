import { type Fault, invalid, required } from './fault.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const LABEL_CHARS_MAX = 63;
const SUBDOMAIN_CHARS_MAX = 253;

const tooLong = (max: number): string => `must be no more than ${max} characters`;
const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);
const LABEL_RE = whole(LABEL);
const SUBDOMAIN_RE = whole(SUBDOMAIN);
const QUALIFIED_RE = whole(QUALIFIED);

/** What is wrong with a DNS-1123 label, all of it, in Kubernetes' words; empty when nothing is. */
export function dnsLabelFaults(text: string): readonly string[] {
  const faults: string[] = [];
  if (text.length > LABEL_CHARS_MAX) faults.push(tooLong(LABEL_CHARS_MAX));
  if (!LABEL_RE.test(text) && SUBDOMAIN_RE.test(text)) faults.push('must not contain dots');
  else if (!LABEL_RE.test(text))
    faults.push(
      `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
    );
  return faults;
}

/** The same for a DNS-1123 subdomain. */
export function dnsSubdomainFaults(text: string): readonly string[] {
  const faults = text.length > SUBDOMAIN_CHARS_MAX ? [tooLong(SUBDOMAIN_CHARS_MAX)] : [];
  if (SUBDOMAIN_RE.test(text)) return faults;
  return [
    ...faults,
    `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
  ];
}

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH_RE = whole(PATH);

/** The same for a name like `example.com/manager`, at `path` (apimachinery's `IsDomainPrefixedPath`). */
export function domainPrefixedPathFaults(path: string, text: string): readonly Fault[] {
  if (text === '') return [required(path)];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash <= 0 || rest === '') return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const faults = dnsSubdomainFaults(host).map((fault) => invalid(path, host, fault));
  return PATH_RE.test(rest)
    ? faults
    : [...faults, invalid(path, rest, `Invalid path (regex used for validation is '${PATH}')`)];
}

/** The same for the key of a label or an annotation: `[prefix/]name`. */
export function qualifiedNameFaults(key: string): readonly string[] {
  const parts = key.split('/');
  if (parts.length > 2)
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const faults: string[] = [];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) faults.push(...dnsSubdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  if (name === '') faults.push('name part must be non-empty');
  else if (name.length > LABEL_CHARS_MAX) faults.push(`name part ${tooLong(LABEL_CHARS_MAX)}`);
  if (!QUALIFIED_RE.test(name))
    faults.push(
      `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`,
    );
  return faults;
}

/** The same for the value of a label. */
export function labelValueFaults(value: string): readonly string[] {
  const faults = value.length > LABEL_CHARS_MAX ? [tooLong(LABEL_CHARS_MAX)] : [];
  if (value === '' || QUALIFIED_RE.test(value)) return faults;
  return [
    ...faults,
    `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${QUALIFIED})?')`,
  ];
}
