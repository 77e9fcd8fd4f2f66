import { signal } from '@preact/signals';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'muster.theme';

/** What the user has chosen. */
export const theme = signal<Theme>(THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system');
/** Counts changes of colours, for what is drawn by hand. */
export const colours = signal(0);

/** Shows the page in the colours that were chosen. */
export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
  colours.value++;
}

/** Goes on to the next choice. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  localStorage.setItem(KEY, theme.value);
  applyTheme();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => colours.value++);
