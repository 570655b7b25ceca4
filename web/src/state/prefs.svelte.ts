import type { Language } from '$wire';

export const LANGUAGES: readonly Language[] = ['en', 'ru', 'vi'];
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What is kept of it, if it can still be chosen. */
export function kept<T extends string>(key: string, allowed: readonly T[], usual: T): T {
  const value = localStorage.getItem(key) as T | null;
  return value !== null && allowed.includes(value) ? value : usual;
}

function spoken(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2) as Language);
  return wanted.find((tag) => LANGUAGES.includes(tag)) ?? 'en';
}

/** What this browser keeps of how somebody likes it. */
class Prefs {
  #language = $state<Language>(kept('language', LANGUAGES, spoken()));
  #theme = $state<Theme>(kept('theme', THEMES, 'auto'));
  #sound = $state(kept('sound', ['on', 'off'], 'on') === 'on');

  get language(): Language {
    return this.#language;
  }
  set language(value: Language) {
    this.#language = value;
    localStorage.setItem('language', value);
  }

  get theme(): Theme {
    return this.#theme;
  }
  set theme(value: Theme) {
    this.#theme = value;
    localStorage.setItem('theme', value);
  }

  get sound(): boolean {
    return this.#sound;
  }
  set sound(value: boolean) {
    this.#sound = value;
    localStorage.setItem('sound', value ? 'on' : 'off');
  }
}

export const prefs = new Prefs();

const calm = matchMedia('(prefers-reduced-motion: reduce)');
let still = $state(calm.matches);
calm.addEventListener('change', () => (still = calm.matches));

/** Whether nothing is to move. */
export const reducedMotion = (): boolean => still;

const dark = matchMedia('(prefers-color-scheme: dark)');
let night = $state(dark.matches);
dark.addEventListener('change', () => (night = dark.matches));

/** Has the document in the theme and the language that are liked, as long as a component is shown. */
export function dress(): void {
  $effect(() => {
    document.documentElement.dataset.theme = prefs.theme === 'auto' ? (night ? 'dark' : 'light') : prefs.theme;
    document.documentElement.lang = prefs.language;
  });
}
