/** What the side has, with the key that goes there after `g`. */
export const MENU = [
  { view: 'jobs', words: 'Jobs', key: 'j' },
  { view: 'graph', words: 'Graph', key: 'g' },
  { view: 'schedules', words: 'Schedules', key: 's' },
  { view: 'worklists', words: 'Work lists', key: 'w' },
  { view: 'quotas', words: 'Quotas', key: 'q' },
  { view: 'furiko', words: 'Furiko', key: 'f' },
  { view: 'doctor', words: 'Doctor', key: 'd' },
] as const;
