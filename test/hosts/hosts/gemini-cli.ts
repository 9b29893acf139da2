import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acp } from '../dialogs/acp.js';
import { type Host, type McpServer, SERVER } from '../host.js';

const entryOf = (server: McpServer): object =>
  server.via === 'http'
    ? { httpUrl: server.url, trust: true }
    : { command: server.command, args: server.args, env: server.env, trust: true };

const environment = (model: string): Record<string, string> => ({
  GEMINI_API_KEY: 'not-a-key',
  GOOGLE_GEMINI_BASE_URL: model,
});

export const geminiCli: Host = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  program: 'gemini',
  configure({ home, server }) {
    mkdirSync(join(home, '.gemini'), { recursive: true });
    const settings = {
      mcpServers: { [SERVER]: entryOf(server) },
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
    };
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
  },
  start: ({ model }, { prompt, continues }) => ({
    args: [
      ...(continues ? ['--resume', 'latest'] : []),
      ...['--skip-trust', '--yolo', '--model', 'gemini-2.5-flash', '--prompt', prompt],
    ],
    env: environment(model),
  }),
  dialog: acp(({ model }) => ({
    args: ['--skip-trust', '--yolo', '--model', 'gemini-2.5-flash', '--acp'],
    env: environment(model),
  })),
  promptTurn: (name) => ({ prompt: `/${name}`, continues: false }),
};
