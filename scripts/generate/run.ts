import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedFiles } from './files.js';

for (const [file, text] of await generatedFiles()) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
