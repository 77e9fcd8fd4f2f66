/**
 * Without what differs from run to run: times, ages, identifiers, the random ends of generated names; and with three
 * spaces between the columns of a table, whose width follows from those.
 */
export function tidy(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME')
    .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: "RV"')
    .replaceAll(/(?<=^|\s)(\d+m)?\d+s(?=$|[\s)])|<invalid>/gm, 'AGE')
    .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?![-a-z0-9])/g, '-xxxxx')
    .replaceAll(/(?<=\S) {3,}(?=\S)/g, '   ')
    .replaceAll(/[ \t]+$/gm, '')
    .trimEnd();
}
