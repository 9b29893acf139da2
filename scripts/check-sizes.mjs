/**
 * Bundles each subpath as an application would and compares its size with `scripts/size-limits.json`. Peers and the MCP
 * SDK are left out, because an application has them anyway. With `--update`, writes new limits: 5 % above the sizes,
 * rounded up to 500 bytes. Compares the size of the packed package with its limit, too. Needs `dist`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const LIMITS = 'scripts/size-limits.json';
/** In bytes. `npx mcp-concerns` downloads them. `--update` does not raise this limit. */
const MAX_PACKED = 2_500_000;
const { name, exports, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

const sizes = {};
for (const [subpath, target] of Object.entries(exports)) {
  if (typeof target === 'string') continue;
  const { outputFiles } = await build({
    entryPoints: [target.default],
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    format: 'esm',
    external: ['@modelcontextprotocol/*', ...Object.keys(peerDependencies)],
    logLevel: 'warning',
    // Chunks import others for their order. Nothing is lost if a bundler leaves such an import out.
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  sizes[subpath] = outputFiles[0].contents.length;
}

if (process.argv.includes('--update')) {
  const limits = Object.fromEntries(
    Object.entries(sizes).map(([subpath, size]) => [subpath, Math.ceil((size * 1.05) / 500) * 500]),
  );
  writeFileSync(LIMITS, `${JSON.stringify(limits, null, 2)}\n`);
  console.log(`Wrote ${LIMITS}.`);
} else {
  const problems = compare(JSON.parse(readFileSync(LIMITS, 'utf8')));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(
      'Make the bundle smaller, or run "node scripts/check-sizes.mjs --update" and give the reason.',
    );
    process.exitCode = 1;
  }
  const packed = packedSize();
  console.log(`${'npm pack'.padEnd(32)} ${String(packed).padStart(7)} of ${MAX_PACKED} bytes`);
  if (packed > MAX_PACKED) {
    console.error(
      `The packed package is ${packed - MAX_PACKED} bytes over its limit of ${MAX_PACKED} bytes. Leave something out of it.`,
    );
    process.exitCode = 1;
  }
}

/** Returns the bytes of the archive that `npm pack` writes. */
function packedSize() {
  const [{ size }] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      shell: process.platform === 'win32',
    }),
  );
  return size;
}

/** Prints the size of each subpath. Returns one message for each that exceeds its limit or is not in both tables. */
function compare(limits) {
  const problems = [];
  for (const [subpath, size] of Object.entries(sizes)) {
    const limit = limits[subpath];
    const specifier = subpath.replace('.', name);
    console.log(
      `${specifier.padEnd(32)} ${String(size).padStart(7)} of ${String(limit ?? '?').padStart(7)} bytes`,
    );
    if (limit === undefined) problems.push(`${specifier} has no limit in ${LIMITS}.`);
    else if (size > limit)
      problems.push(`${specifier} is ${size - limit} bytes over its limit of ${limit} bytes.`);
  }
  const gone = Object.keys(limits).filter((subpath) => sizes[subpath] === undefined);
  return [
    ...problems,
    ...gone.map((subpath) => `${LIMITS} has a limit for ${subpath}, which is not exported.`),
  ];
}
