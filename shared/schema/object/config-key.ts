const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_CHARS_MAX = 253;

/** The faults of a key of a ConfigMap or of a Secret, in Kubernetes' words (`IsConfigMapKey`). */
export function configKeyFaults(key: string): readonly string[] {
  const faults = key.length > KEY_CHARS_MAX ? [`must be no more than ${KEY_CHARS_MAX} characters`] : [];
  if (!KEY.test(key))
    faults.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  if (key === '.' || key === '..') faults.push(`must not be '${key}'`);
  else if (key.startsWith('..')) faults.push("must not start with '..'");
  return faults;
}
