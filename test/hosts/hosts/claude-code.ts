import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { streamJson } from '../dialogs/stream-json.js';
import { commonEntry, entriesOf, type Host, SERVER, type Setting } from '../host.js';

const flags = (setting: Setting): string[] => [
  ...['--print', '--model', 'claude-sonnet-4-5'],
  ...[
    '--allowedTools',
    Object.keys(setting.servers)
      .map((key) => `mcp__${key}`)
      .join(','),
  ],
];

const environment = ({ model, toolSearch = false }: Setting): Record<string, string> => ({
  ANTHROPIC_BASE_URL: model,
  ANTHROPIC_API_KEY: 'not-a-key',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // A server that is slow to start would have no tools in the first request, which is what is measured.
  MCP_CONNECTION_NONBLOCKING: 'false',
  CLAUDE_CODE_MCP_STARTUP_WAIT_MS: '120000',
  MCP_CONNECT_TIMEOUT_MS: '120000',
  MCP_TIMEOUT: '120000',
  // Its default depends on the URL of the model: https://code.claude.com/docs/en/mcp
  ENABLE_TOOL_SEARCH: String(toolSearch),
});

/** A hook that answers every form, as a person would. */
const formHook = (content: Readonly<Record<string, string>>): object => {
  const answer = { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content } };
  return {
    hooks: {
      Elicitation: [{ hooks: [{ type: 'command', command: `echo '${JSON.stringify(answer)}'` }] }],
    },
  };
};

export const claudeCode: Host = {
  id: 'claude-code',
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  program: 'claude',
  configure(setting) {
    const { home, forbidden, formAnswer } = setting;
    const file = join(home, '.claude.json');
    mkdirSync(join(home, '.claude'), { recursive: true });
    writeFileSync(file, JSON.stringify({ mcpServers: entriesOf(setting, commonEntry) }));
    const deny = forbidden === undefined ? [] : [`mcp__${forbidden.server}__${forbidden.tool}`];
    const settings = { permissions: { deny }, ...(formAnswer === undefined ? {} : formHook(formAnswer)) };
    writeFileSync(join(home, '.claude/settings.json'), JSON.stringify(settings));
    return file;
  },
  start: (setting, { prompt, continues }) => ({
    args: [...flags(setting), ...(continues ? ['--continue'] : []), '--', prompt],
    env: environment(setting),
  }),
  dialog: streamJson((setting) => ({
    args: [
      ...flags(setting),
      ...['--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    ],
    env: environment(setting),
  })),
  promptTurn: (name) => ({ prompt: `/mcp__${SERVER}__${name}`, continues: false }),
  answersForms: true,
  searchFor: (tool) => ({
    call: 'ToolSearch',
    given: { query: `select:mcp__${SERVER}__${tool}`, max_results: 5 },
  }),
};
