import moment from 'moment';

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * A time in a format of moment.js, such as `YYYY-MM-DD`, by the clock of its own offset, whatever the machine's.
 *
 * @param text RFC 3339
 * @param format empty: RFC 3339
 * @returns null: `text` is no such time, or of no day that exists
 */
export function formatMoment(text: string, format = ''): string | null {
  if (!RFC_3339.test(text)) return null;
  const time = moment.parseZone(text);
  return time.isValid() ? time.format(format === '' ? undefined : format) : null;
}
