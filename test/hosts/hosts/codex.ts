import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codexAppServer } from '../dialogs/codex-app-server.js';
import type { Host, McpServer } from '../host.js';

/** The texts and lists of the configuration are written alike in TOML and JSON. */
function entryOf([key, server]: readonly [string, McpServer]): string {
  const lines =
    server.via === 'http'
      ? [`url = ${JSON.stringify(server.url)}`]
      : [
          `command = ${JSON.stringify(server.command)}`,
          `args = ${JSON.stringify(server.args)}`,
          `[mcp_servers.${key}.env]`,
          ...Object.entries(server.env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
        ];
  // Codex starts a conversation without the tools of servers that are not ready, unless they are required.
  return [`[mcp_servers.${key}]`, 'required = true', ...lines].join('\n');
}

export const codex: Host = {
  id: 'codex',
  name: 'Codex CLI',
  package: '@openai/codex',
  program: 'codex',
  configure({ home, model, servers }) {
    const file = join(home, '.codex/config.toml');
    mkdirSync(join(home, '.codex'), { recursive: true });
    const config = `model = "gpt-5"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

${Object.entries(servers).map(entryOf).join('\n\n')}
`;
    writeFileSync(file, config);
    return file;
  },
  start: (_setting, { prompt, continues }) => ({
    args: [
      'exec',
      ...(continues ? ['resume', '--last'] : []),
      ...['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    ],
    env: { SCRIPTED_KEY: 'not-a-key' },
  }),
  dialog: codexAppServer(() => ({ args: ['app-server'], env: { SCRIPTED_KEY: 'not-a-key' } })),
};
