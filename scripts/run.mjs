/**
 * Runs a program that is written in TypeScript: `node scripts/run.mjs FILE [ARGUMENTS]`. It is bundled into `build` first,
 * because Node.js 20 runs no TypeScript. Options of Node.js that stand before this script apply to the program too.
 */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

const [file = '', ...args] = process.argv.slice(2);
const outfile = `build/${file.replaceAll('/', '-').replace(/\.ts$/, '.mjs')}`;
await build({
  entryPoints: [file],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, [...process.execArgv, outfile, ...args], { stdio: 'inherit' });
process.exitCode = status ?? 1;
