/**
 * What each subpath, and the command, makes a program load: files of this package and their bytes, without what is imported only
 * when it is needed. Compares with `scripts/loads.json`, and fails above 5 %. With `--update`, writes the table. Needs `dist`.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const TABLE = 'scripts/loads.json';
const MORE = 1.05;
const STATIC_IMPORT = /(?:^|[;}\s])(?:import|export)\s*(?:[\w*{}\s,$]+?from\s*)?"(\.[^"]+)"/g;
const { name, exports, bin } = JSON.parse(readFileSync('package.json', 'utf8'));
const subpaths = Object.entries(exports).filter(([, target]) => typeof target !== 'string');

const loads = Object.fromEntries([
  ...subpaths.map(([subpath, target]) => [subpath.replace('.', name), loadsOf(target.default)]),
  ['the command', loadsOf(bin[name])],
]);
if (process.argv.includes('--update')) {
  writeFileSync(TABLE, `${JSON.stringify(loads, null, 2)}\n`);
  console.log(`Wrote ${TABLE}.`);
} else {
  const problems = compare(JSON.parse(readFileSync(TABLE, 'utf8')));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error('Load less, or run "node scripts/check-loads.mjs --update" and say what users get for it.');
    process.exitCode = 1;
  }
}

function loadsOf(entry) {
  const files = new Set([normalize(entry)]);
  // A set that grows while it is read is read to its end.
  for (const file of files)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT))
      files.add(join(dirname(file), path));
  return { files: files.size, bytes: [...files].reduce((sum, file) => sum + statSync(file).size, 0) };
}

/** Prints what each entry loads. Returns one message for each that loads more than before, or is not in both tables. */
function compare(before) {
  const problems = [];
  for (const [entry, { files, bytes }] of Object.entries(loads)) {
    const limit = before[entry]?.bytes;
    console.log(
      `${entry.padEnd(32)} ${String(files).padStart(4)} files ${String(bytes).padStart(8)} bytes, before ${limit ?? '?'}`,
    );
    if (limit === undefined) problems.push(`${entry} is not in ${TABLE}.`);
    else if (bytes > limit * MORE) problems.push(`${entry} loads ${bytes - limit} bytes more than before.`);
  }
  const gone = Object.keys(before).filter((entry) => loads[entry] === undefined);
  return [...problems, ...gone.map((entry) => `${TABLE} has ${entry}, which is not exported.`)];
}
