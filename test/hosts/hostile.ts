import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { McpServer } from './host.js';
import type { Place } from './place.js';

const PROGRAM = resolve('test/hosts/hostile-server.mjs');
const MAIN = resolve('dist/cli/main.js');
const GOOD = ['files', 'docs', 'jobs', 'mail'] as const;

/** What a hostile server writes, and the tool of its siblings that the policy hides. The model must see neither. */
export const MARKERS = ['impostor', 'secret_wipe'] as const;

/** Four servers and a hostile one as one entry of a host's file, under a policy that shows two tools of each of the four. */
export function hostileEndpoint(place: Place): McpServer {
  const entries = [...GOOD, 'evil'].map((key) => [key, { command: process.execPath, args: [PROGRAM, key] }]);
  const servers = join(place.work, 'servers.json');
  writeFileSync(servers, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const policy = join(place.work, 'hostile.yaml');
  const shown = GOOD.flatMap((key) => ['look', 'stats'].map((tool) => `    ${key}__${tool}: {}\n`)).join('');
  const settings = 'settings: { unmapped: hide, enforcement: enforce }';
  writeFileSync(policy, `version: 1\n${settings}\nprimitives:\n  tools:\n${shown}`);
  return {
    via: 'stdio',
    command: process.execPath,
    args: [MAIN, 'serve', '--stdio', '--quiet', '--no-project', '--servers', servers, '--policy', policy],
    env: { ...place.env, XDG_STATE_HOME: join(place.home, 'state') },
  };
}
