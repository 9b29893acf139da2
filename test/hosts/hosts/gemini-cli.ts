import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acp } from '../dialogs/acp.js';
import { entriesOf, type Host, type McpServer } from '../host.js';

const entryOf = (server: McpServer, forbidden: readonly string[]): object =>
  server.via === 'http'
    ? { httpUrl: server.url, trust: true }
    : { command: server.command, args: server.args, env: server.env, trust: true, excludeTools: forbidden };

const environment = (model: string): Record<string, string> => ({
  GEMINI_API_KEY: 'not-a-key',
  GOOGLE_GEMINI_BASE_URL: model,
});

export const geminiCli: Host = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  program: 'gemini',
  configure(setting) {
    const { home, forbidden } = setting;
    const file = join(home, '.gemini/settings.json');
    mkdirSync(join(home, '.gemini'), { recursive: true });
    const settings = {
      mcpServers: entriesOf(setting, (server, key) =>
        entryOf(server, forbidden?.server === key ? [forbidden.tool] : []),
      ),
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
    };
    writeFileSync(file, JSON.stringify(settings));
    return file;
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
