import { svelte } from '@sveltejs/vite-plugin-svelte';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const server = process.env.PARLOR_URL ?? 'http://127.0.0.1:7766';

export default defineConfig({
  plugins: [svelte()],
  resolve: {
    alias: { $wire: fileURLToPath(new URL('../docs/protocol.ts', import.meta.url)) },
    conditions: process.env.VITEST ? ['browser'] : undefined,
  },
  build: { target: 'es2022', manifest: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  // The server hears only pages of its own host.
  server: { proxy: { '/api': { target: server, changeOrigin: false }, '/ws': { target: server, ws: true } } },
  test: { include: ['test/**/*.test.ts', 'src/**/*.test.ts'] },
});
