import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acp } from '../dialogs/acp.js';
import { entriesOf, type Host, type McpServer, SERVER } from '../host.js';

const entryOf = (server: McpServer): object =>
  server.via === 'http'
    ? { type: 'remote', url: server.url, enabled: true }
    : { type: 'local', command: [server.command, ...server.args], environment: server.env, enabled: true };

const ENVIRONMENT = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
};

export const opencode: Host = {
  id: 'opencode',
  name: 'opencode',
  package: 'opencode-ai',
  program: 'opencode',
  configure(setting) {
    const { home, model, forbidden } = setting;
    const file = join(home, '.config/opencode/opencode.json');
    mkdirSync(join(home, '.config/opencode'), { recursive: true });
    const limit = { context: 200_000, output: 8000 };
    const config = {
      model: 'scripted/scripted',
      autoupdate: false,
      share: 'disabled',
      permission: {
        '*': 'allow',
        ...(forbidden === undefined ? {} : { [`${forbidden.server}_${forbidden.tool}`]: 'deny' }),
      },
      mcp: entriesOf(setting, entryOf),
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${model}/v1`, apiKey: 'not-a-key' },
          models: { scripted: { name: 'Scripted', tool_call: true, limit } },
        },
      },
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  },
  start: (_setting, { prompt, continues, command }) => ({
    args: [
      'run',
      ...(continues ? ['--continue'] : []),
      ...(command === undefined ? [prompt] : ['--command', command]),
    ],
    env: ENVIRONMENT,
  }),
  dialog: acp({ args: ['acp'], env: ENVIRONMENT }),
  promptTurn: (name) => ({ prompt: '', command: `${SERVER}:${name}`, continues: false }),
};
