/**
 * Writes where this repository is into `package.json`, for the page of the package and for npm provenance. The address is
 * known only to the workflow that publishes: `node scripts/name-repository.mjs https://host.example owner/name`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const [server, repository] = process.argv.slice(2);
if (!/^https:\/\/[^/\s]+$/.test(server ?? '') || !/^[\w.-]+\/[\w.-]+$/.test(repository ?? '')) {
  console.error(`Pass the URL of the server and OWNER/NAME, not "${server}" and "${repository}".`);
  process.exit(1);
}
const url = `${server}/${repository}`;
const { name, version, description, ...rest } = JSON.parse(readFileSync('package.json', 'utf8'));
const named = {
  name,
  version,
  description,
  homepage: `${url}#readme`,
  bugs: { url: `${url}/issues` },
  repository: { type: 'git', url: `git+${url}.git` },
  ...rest,
};
writeFileSync('package.json', `${JSON.stringify(named, null, 2)}\n`);
