/**
 * Writes the reference of the public API to `build/api`, from the docstrings of the exported names. TypeDoc and the
 * TypeScript version that it supports are installed in `test/runtimes/docs` if they are missing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TOOLS = 'test/runtimes/docs';
const TYPEDOC = join(TOOLS, 'node_modules/typedoc/bin/typedoc');
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));

if (!existsSync(TYPEDOC)) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: TOOLS,
    stdio: 'inherit',
  });
}
const entryPoints = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);
const options = [
  ['--tsconfig', 'tsconfig.build.json'],
  ['--out', 'build/api'],
  ['--name', 'mcp-concerns'],
  ['--readme', 'none'],
  // A public signature may name a type that users have no reason to import.
  ['--validation.notExported', 'false'],
  ['--disableSources', 'true'],
];
execFileSync(process.execPath, [TYPEDOC, ...options.flat(), ...entryPoints], { stdio: 'inherit' });
