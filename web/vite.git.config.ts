/** The page for tables in a git repository: plain files that lie anywhere, under names that stay. */
import { defineConfig, mergeConfig } from 'vitest/config';
import shared from './vite.config.ts';

export default mergeConfig(
  shared,
  defineConfig({
    base: './',
    publicDir: false,
    plugins: [
      {
        name: 'as-index',
        enforce: 'post',
        generateBundle(_, bundle) {
          const page = bundle['git.html'];
          if (page) page.fileName = 'index.html';
        },
      },
    ],
    build: {
      outDir: 'dist-git',
      manifest: false,
      rolldownOptions: {
        input: 'git.html',
        output: { entryFileNames: 'gitgammon/page.js', assetFileNames: 'gitgammon/[name][extname]' },
      },
    },
  }),
);
