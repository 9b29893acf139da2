/** Bundles the demo server and its walkthrough into `build/vault`. Tests and `npm start` run them. */
import { build } from 'esbuild';

await build({
  entryPoints: ['examples/vault/server.ts', 'examples/vault/walkthrough.ts'],
  outdir: 'build/vault',
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
});
