// Packs what was built, and holds the first load to its budget.
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const BUDGET = 150_000;
const dist = new URL('../dist/', import.meta.url).pathname;

const manifestFile = join(dist, '.vite/manifest.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
rmSync(join(dist, '.vite'), { recursive: true });

for (const file of readdirSync(dist, { recursive: true })) {
  const path = join(dist, file);
  if (!statSync(path).isFile() || !/\.(js|css|html|svg)$/.test(file)) continue;
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
}

const seen = new Set();
function files(key) {
  const chunk = manifest[key];
  if (seen.has(key)) return [];
  seen.add(key);
  return [chunk.file, ...(chunk.css ?? []), ...(chunk.imports ?? []).flatMap(files)];
}

const packed = (file) => statSync(join(dist, `${file}.gz`)).size;
const first = files('index.html').reduce((sum, file) => sum + packed(file), 0);
console.log(`first load: ${(first / 1000).toFixed(1)} kB of JavaScript and CSS with gzip, at most ${BUDGET / 1000}`);
if (first > BUDGET) process.exit(1);
