import { signal } from '@preact/signals';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'muster.theme';

/** What the user has chosen. */
export const theme = signal<Theme>(THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system');
/** Counts changes of colours, for what is drawn by hand. */
export const colours = signal(0);

const systemsDark = matchMedia('(prefers-color-scheme: dark)');

/** Shows the page in the colours that were chosen, or in those of the system. */
export function applyTheme(): void {
  const ofSystem = systemsDark.matches ? 'dark' : 'light';
  document.documentElement.dataset['theme'] = theme.value === 'system' ? ofSystem : theme.value;
  colours.value++;
}

/** Goes on to the next choice. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  localStorage.setItem(KEY, theme.value);
  applyTheme();
}

systemsDark.addEventListener('change', applyTheme);
