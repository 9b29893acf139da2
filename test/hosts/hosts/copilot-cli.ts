import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acp } from '../dialogs/acp.js';
import { entriesOf, type Host, type McpServer } from '../host.js';

const entryOf = (server: McpServer): object =>
  server.via === 'http'
    ? { type: 'http', url: server.url, tools: ['*'] }
    : { type: 'local', command: server.command, args: server.args, env: server.env, tools: ['*'] };

const environment = (model: string): Record<string, string> => ({
  COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
  COPILOT_PROVIDER_API_KEY: 'not-a-key',
  COPILOT_MODEL: 'scripted',
  COPILOT_OFFLINE: 'true',
  // With its default for unknown models, the host sends no request that has all tools of five servers.
  COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '1000000',
});

export const copilotCli: Host = {
  id: 'copilot-cli',
  name: 'GitHub Copilot CLI',
  package: '@github/copilot',
  program: 'copilot',
  configure(setting) {
    const file = join(setting.home, '.copilot/mcp-config.json');
    mkdirSync(join(setting.home, '.copilot'), { recursive: true });
    writeFileSync(file, JSON.stringify({ mcpServers: entriesOf(setting, entryOf) }));
    return file;
  },
  start: ({ model, forbidden }, { prompt, continues }) => ({
    args: [
      ...(continues ? ['--continue'] : []),
      ...(forbidden === undefined ? [] : ['--deny-tool', `${forbidden.server}(${forbidden.tool})`]),
      ...['--allow-all-tools', '--no-auto-update', '--disable-builtin-mcps', '--prompt', prompt],
    ],
    env: environment(model),
  }),
  dialog: acp(({ model }) => ({
    args: ['--acp', '--allow-all-tools', '--no-auto-update', '--disable-builtin-mcps'],
    env: environment(model),
  })),
};
