/** Copies the licenses of bundled packages, which has to accompany their code. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes `THIRD-PARTY-LICENSES.txt`.
 *
 * @param folder the folder with the bundles
 * @param inputs the files that were bundled
 * @throws Error if a package has no license file
 */
export function writeLicenses(folder, inputs) {
  const packages = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []);
  const texts = [...new Set(packages)].sort().map(licenseOf);
  const head = 'The files in this folder contain code of these packages.';
  writeFileSync(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    `${head}\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`,
  );
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no license file, so it must not be bundled.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
