/**
 * Writes where this repository and its site are into `package.json`: for the page of the package, for npm provenance, and
 * for findings, which link to the site. The addresses are known only to the workflow that publishes:
 * `node scripts/name-repository.mjs https://github.com owner/name`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const [server, repository] = process.argv.slice(2);
if (!/^https:\/\/[^/\s]+$/.test(server ?? '') || !/^[\w.-]+\/[\w.-]+$/.test(repository ?? '')) {
  console.error(`Pass the URL of the server and OWNER/NAME, not "${server}" and "${repository}".`);
  process.exit(1);
}
const url = `${server}/${repository}`;
const [owner, project] = repository.split('/');
/** Where `.github/workflows/site.yml` publishes the documentation. Other servers have their pages elsewhere. */
const site =
  server === 'https://github.com' ? `https://${owner.toLowerCase()}.github.io/${project}/` : undefined;
const {
  name,
  version,
  description,
  homepage: _,
  bugs: __,
  repository: ___,
  ...rest
} = JSON.parse(readFileSync('package.json', 'utf8'));
const named = {
  name,
  version,
  description,
  ...(site !== undefined && { homepage: site }),
  bugs: { url: `${url}/issues` },
  repository: { type: 'git', url: `git+${url}.git` },
  ...rest,
};
writeFileSync('package.json', `${JSON.stringify(named, null, 2)}\n`);
