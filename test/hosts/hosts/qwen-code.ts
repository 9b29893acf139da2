import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acp } from '../dialogs/acp.js';
import { entriesOf, type Host, type McpServer, SERVER } from '../host.js';

const entryOf = (server: McpServer): object =>
  server.via === 'http'
    ? { httpUrl: server.url, trust: true }
    : { command: server.command, args: server.args, env: server.env, trust: true };

const environment = (model: string): Record<string, string> => ({
  OPENAI_API_KEY: 'not-a-key',
  OPENAI_BASE_URL: `${model}/v1`,
  OPENAI_MODEL: 'scripted',
});

export const qwenCode: Host = {
  id: 'qwen-code',
  name: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  program: 'qwen',
  configure(setting) {
    const { home, toolSearch = false } = setting;
    const file = join(home, '.qwen/settings.json');
    mkdirSync(join(home, '.qwen'), { recursive: true });
    const settings = {
      mcpServers: entriesOf(setting, entryOf),
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
      tools: { toolSearch: { enabled: toolSearch } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    writeFileSync(file, JSON.stringify(settings));
    return file;
  },
  start: ({ model }, { prompt, continues }) => ({
    args: [...(continues ? ['--continue'] : []), '--yolo', '--auth-type', 'openai', prompt],
    env: environment(model),
  }),
  dialog: acp(({ model }) => ({
    args: ['--acp', '--yolo', '--auth-type', 'openai'],
    env: environment(model),
  })),
  searchFor: (tool) => ({ call: 'tool_search', given: { query: `select:mcp__${SERVER}__${tool}` } }),
  promptTurn: (name) => ({ prompt: `/${name}`, continues: false }),
};
