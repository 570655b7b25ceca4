// The words of the page, as its sources have them.
import { createServer } from 'vite';

const root = new URL('..', import.meta.url).pathname;
const GAMES = ['backgammon', 'poker', 'battle', 'gomoku'];

/** The shell's words, and those of each game: language, key, word. */
export async function dictionaries() {
  const vite = await createServer({ root, logLevel: 'error', server: { middlewareMode: true, ws: false, watch: null } });
  try {
    const language = async (name) => (await vite.ssrLoadModule(`/src/i18n/${name}.ts`))[name];
    const shell = { en: await language('en'), ru: await language('ru'), vi: await language('vi') };
    const games = {};
    for (const game of GAMES) games[game] = (await vite.ssrLoadModule(`/src/games/${game}/words.ts`)).words;
    return { shell, games };
  } finally {
    await vite.close();
  }
}

/** Every form of every text. */
const texts = (words) => Object.values(words).flatMap((word) => (typeof word === 'string' ? [word] : Object.values(word)));

const filled = /\{\w+\}/g;
const spelled = (text) => text.split(filled).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

/** What finds out whether a text is English: one of its words, with anything filled in, that is in no way the language's own. */
export function englishIn(all, language) {
  const own = new Set(all.flatMap((words) => texts(words[language])));
  const foreign = all.flatMap((words) => texts(words.en)).filter((text) => /\p{L}/u.test(text.replace(filled, '')) && !own.has(text));
  const patterns = [...new Set(foreign)].map((text) => new RegExp(`^${spelled(text).join('.+')}$`, 'u'));
  return (text) => patterns.some((pattern) => pattern.test(text));
}
