import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acp } from '../dialogs/acp.js';
import { type Host, type McpServer, SERVER } from '../host.js';

const entryOf = (server: McpServer): object =>
  server.via === 'http'
    ? { type: 'http', url: server.url, tools: ['*'] }
    : { type: 'local', command: server.command, args: server.args, env: server.env, tools: ['*'] };

const environment = (model: string): Record<string, string> => ({
  COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
  COPILOT_PROVIDER_API_KEY: 'not-a-key',
  COPILOT_MODEL: 'scripted',
  COPILOT_OFFLINE: 'true',
});

export const copilotCli: Host = {
  id: 'copilot-cli',
  name: 'GitHub Copilot CLI',
  package: '@github/copilot',
  program: 'copilot',
  configure({ home, server }) {
    mkdirSync(join(home, '.copilot'), { recursive: true });
    const config = { mcpServers: { [SERVER]: entryOf(server) } };
    writeFileSync(join(home, '.copilot/mcp-config.json'), JSON.stringify(config));
  },
  start: ({ model }, { prompt, continues }) => ({
    args: [
      ...(continues ? ['--continue'] : []),
      ...['--allow-all-tools', '--no-auto-update', '--disable-builtin-mcps', '--prompt', prompt],
    ],
    env: environment(model),
  }),
  dialog: acp(({ model }) => ({
    args: ['--acp', '--allow-all-tools', '--no-auto-update', '--disable-builtin-mcps'],
    env: environment(model),
  })),
};
