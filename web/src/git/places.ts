/** Where the files of a table are, and what the forge can do. */
export interface Config {
  /** Where the folder `tables` is. */
  files: string;
  /** OWNER/NAME of the repository on GitHub. */
  github: string | null;
  branch: string;
}

const USUAL: Config = { files: './', github: null, branch: 'main' };
/** A table's name, as the referee allows it. */
export const isTable = (name: string): boolean => /^[a-z0-9-]{2,64}$/.test(name);

/** A file is not there. */
export class Missing extends Error {}

/** A file as it is now: the browser asks with what it has (If-None-Match). */
export async function file(url: string, cache: RequestCache = 'no-cache'): Promise<string> {
  const answer = await fetch(url, { cache });
  if (answer.status === 404) throw new Missing(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer.text();
}

export async function config(): Promise<Config> {
  try {
    return { ...USUAL, ...(JSON.parse(await file('gitgammon/config.json')) as Partial<Config>) };
  } catch {
    return USUAL;
  }
}

const api = (github: string, path: string) => `https://api.github.com/repos/${github}/${path}`;

/** The folder of a table; of now, or of a commit. */
export function folder({ files, github }: Config, table: string, commit?: string): string {
  const base = commit && github ? `https://raw.githubusercontent.com/${github}/${commit}/` : files;
  return `${base.replace(/\/?$/, '/')}tables/${table}/`;
}

export interface Commit {
  sha: string;
  commit: { message: string; committer: { date: string } };
}

/** The newest commits that changed a table, newest first. */
export async function commits({ github, branch }: Config & { github: string }, table: string): Promise<Commit[]> {
  const query = new URLSearchParams({ path: `tables/${table}/state.json`, sha: branch, per_page: '100' });
  return JSON.parse(await file(api(github, `commits?${query}`))) as Commit[];
}

/** The tables there are, where the forge can tell. */
export async function tables({ github, branch }: Config): Promise<string[]> {
  if (!github) return [];
  const query = new URLSearchParams({ ref: branch });
  const found = JSON.parse(await file(api(github, `contents/tables?${query}`))) as { name: string; type: string }[];
  return found.filter(({ name, type }) => type === 'dir' && isTable(name)).map(({ name }) => name);
}

/** Where the forge takes a new file, filled in. */
export function newFile({ github, branch }: Config, path: string, text: string): string | null {
  if (!github) return null;
  const query = `filename=${encodeURIComponent(path)}&value=${encodeURIComponent(text)}`;
  return `https://github.com/${github}/new/${encodeURIComponent(branch)}?${query}`;
}
