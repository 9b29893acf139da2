/**
 * Deletes the declarations in `dist` that no subpath of the package leads to. They are more than half, and nobody can
 * import what they declare. Then it removes the comments of the code, which are a quarter of it: editors show those of the
 * declarations. Modules that are empty afterwards, because they had only types, are deleted.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { transformSync } from 'esbuild';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));

const reached = new Set();
const open = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [normalize(types)]));
for (let file = open.pop(); file !== undefined; file = open.pop()) {
  if (reached.has(file)) continue;
  reached.add(file);
  // In `from './policy.js'` and in `import('./policy.js').Policy`.
  for (const [, path] of readFileSync(file, 'utf8').matchAll(
    /(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g,
  )) {
    open.push(join(dirname(file), `${path}.d.ts`));
  }
}
const empty = new Set();
const imported = new Set();
for (const name of readdirSync('dist', { recursive: true })) {
  const file = join('dist', name);
  if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  if (file.endsWith('.js')) {
    const { code } = transformSync(readFileSync(file, 'utf8'), { target: 'es2023', charset: 'utf8' });
    writeFileSync(file, code);
    if (code.trim() === 'export {};') empty.add(file);
    for (const [, path] of code.matchAll(/from "(\.[^"]+)";/g)) imported.add(join(dirname(file), path));
  }
}
for (const file of empty) if (!imported.has(file)) rmSync(file);
