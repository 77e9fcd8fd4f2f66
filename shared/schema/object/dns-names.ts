import { type FieldError, invalid, required } from './field-error.ts';

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

/** The faults of a DNS-1123 label, in Kubernetes' words; empty if it is valid. */
export function dnsLabelErrors(text: string): readonly string[] {
  const errors: string[] = [];
  if (text.length > LABEL_CHARS_MAX) errors.push(tooLong(LABEL_CHARS_MAX));
  if (!LABEL_RE.test(text) && SUBDOMAIN_RE.test(text)) errors.push('must not contain dots');
  else if (!LABEL_RE.test(text))
    errors.push(
      `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
    );
  return errors;
}

/** The same for a DNS-1123 subdomain. */
export function dnsSubdomainErrors(text: string): readonly string[] {
  const errors = text.length > SUBDOMAIN_CHARS_MAX ? [tooLong(SUBDOMAIN_CHARS_MAX)] : [];
  if (SUBDOMAIN_RE.test(text)) return errors;
  return [
    ...errors,
    `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
  ];
}

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH_RE = whole(PATH);

/** The same for a name like `example.com/manager`, at `path` (apimachinery's `IsDomainPrefixedPath`). */
export function domainPrefixedPathErrors(path: string, text: string): readonly FieldError[] {
  if (text === '') return [required(path)];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash <= 0 || rest === '') return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = dnsSubdomainErrors(host).map((fieldError) => invalid(path, host, fieldError));
  return PATH_RE.test(rest)
    ? errors
    : [...errors, invalid(path, rest, `Invalid path (regex used for validation is '${PATH}')`)];
}

/** The same for the key of a label or an annotation: `[prefix/]name`. */
export function qualifiedNameErrors(key: string): readonly string[] {
  const parts = key.split('/');
  if (parts.length > 2)
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const errors: string[] = [];
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined)
    errors.push(...dnsSubdomainErrors(prefix).map((fieldError) => `prefix part ${fieldError}`));
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > LABEL_CHARS_MAX) errors.push(`name part ${tooLong(LABEL_CHARS_MAX)}`);
  if (!QUALIFIED_RE.test(name))
    errors.push(
      `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`,
    );
  return errors;
}

/** The same for the value of a label. */
export function labelValueErrors(value: string): readonly string[] {
  const errors = value.length > LABEL_CHARS_MAX ? [tooLong(LABEL_CHARS_MAX)] : [];
  if (value === '' || QUALIFIED_RE.test(value)) return errors;
  return [
    ...errors,
    `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${QUALIFIED})?')`,
  ];
}
