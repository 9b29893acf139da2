import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { read } from '../../../src/core/wire/messages.js';
import { fixture, runIn } from '../run.js';

const SERVER = fixture('many-tools.mjs');
const MANY = JSON.stringify([SERVER, '60']).slice(1, -1);
const FEW = JSON.stringify([SERVER, '3']).slice(1, -1);
const OPENCODE = '.config/opencode/opencode.json';
const COPILOT = '.copilot/mcp-config.json';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home of a person '));
  mkdirSync(join(home, 'app'));
  vi.stubEnv('HOME', home);
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'ENABLE_TOOL_SEARCH'])
    vi.stubEnv(name, '');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
};
const textOf = (file: string): string => readFileSync(join(home, file), 'utf8');
const setup = async (...args: string[]) => {
  const { code, stdout, stderr } = await runIn(join(home, 'app'), 'setup', ...args);
  return { code, said: `${stdout}${stderr}` };
};
const opencode = (args: string, more = ''): string =>
  `{"mcp":{"crm":{"type":"local","command":["node",${args}],"enabled":true${more}}}}`;
const commandOf = (file: string, ...path: string[]): string[] =>
  [read(JSON.parse(textOf(file)), ...path)].flat().map(String);
const journal = '.config/mcp-concerns/undo.json';

describe('the files of hosts', () => {
  const HOST_FILES: readonly [host: string, file: string, text: string][] = [
    [
      'claude-code',
      '.claude.json',
      `{"numStartups":5,"mcpServers":{"crm":{"command":"node","args":[${MANY}],"env":{"KEY":"v"}}}}`,
    ],
    [
      'claude-desktop',
      '.config/Claude/claude_desktop_config.json',
      `{"mcpServers":{"crm":{"command":"node","args":[${MANY}]}}}`,
    ],
    [
      'cursor',
      '.cursor/mcp.json',
      `{ // mine\r\n\t"mcpServers": { "crm": { "command": "node", "args": [${MANY}], "disabledTools": ["crm_get_invoice"], }, },\r\n}`,
    ],
    [
      'vscode',
      '.config/Code/User/mcp.json',
      `\uFEFF{ "servers": { "crm": { "type": "stdio", "command": "node", "args": [${MANY}] } } }`,
    ],
    [
      'codex',
      '.codex/config.toml',
      `model = "m" # model\r\n\r\n[mcp_servers."c r m"] # crm\r\ncommand = 'node'\r\nargs = [\r\n  ${MANY}, # two\r\n]\r\n[mcp_servers."c r m".env]\r\ncommand = "env"\r\n`,
    ],
    [
      'gemini-cli',
      '.gemini/settings.json',
      `{"mcpServers":{"crm":{"command":"node","args":[${MANY}],"trust":true}}}`,
    ],
    ['qwen-code', '.qwen/settings.json', `{"mcpServers":{"__proto__":{"command":"node","args":[${MANY}]}}}`],
    ['opencode', OPENCODE, opencode(MANY)],
    [
      'zed',
      '.config/zed/settings.json',
      `{"context_servers":{"crm":{"source":"custom","command":"node","args":[${MANY}]}}}`,
    ],
    [
      'windsurf',
      '.codeium/windsurf/mcp_config.json',
      `{"mcpServers":{"crm":{"command":"node","args":[${MANY}]}}}`,
    ],
    [
      'copilot-cli',
      COPILOT,
      `{"mcpServers":{"crm":{"type":"local","command":"node","args":[${MANY}],"tools":["*"]}}}`,
    ],
  ];

  it('of all eleven hosts get another command and nothing else, and their bytes back', async () => {
    for (const [, file, text] of HOST_FILES) write(file, text);
    const done = await setup('--yes', ...HOST_FILES.flatMap(([host]) => ['--host', host]));
    expect(done).toMatchObject({ code: 0 });
    for (const [host, file, text] of HOST_FILES) {
      expect([host, textOf(file) === text]).toEqual([host, false]);
      expect(textOf(file)).toContain('preset=start');
      // Without what was inserted, each line is one of before.
      for (const part of ['// mine', '# model', '# crm', 'numStartups', 'disabledTools', 'command = "env"'])
        expect([host, part, textOf(file).includes(part)]).toEqual([host, part, text.includes(part)]);
    }
    expect((await setup('--yes')).said).toContain('Nothing to change');
    const undone = await setup('--undo');
    expect(undone.code).toBe(0);
    for (const [host, file, text] of HOST_FILES) expect([host, textOf(file)]).toEqual([host, text]);
    expect((await setup('--undo')).said).toContain('Nothing was changed by setup.');
  });

  it('are changed by default only where the host was measured to list again, and does not search tools itself', async () => {
    for (const [, file, text] of HOST_FILES) write(file, text);
    const { said } = await setup('--yes');
    const changed = HOST_FILES.filter(([, file, text]) => textOf(file) !== text).map(([host]) => host);
    expect(changed).toEqual(['gemini-cli', 'opencode', 'copilot-cli']);
    expect(said).toContain('Codex never lists again');
    expect(said).toContain('Claude Code searches tools itself');
    expect(said).toContain('nobody has measured yet whether Cursor lists again');
  });

  it('are changed with a warning if the person names a host that was not measured to list again', async () => {
    for (const [, file, text] of HOST_FILES) write(file, text);
    const warned = async (host: string) =>
      / can call only the tools/.test((await setup('--host', host)).said);
    const found = await Promise.all(HOST_FILES.map(async ([host]) => ((await warned(host)) ? host : '')));
    const measured = ['claude-code', 'gemini-cli', 'opencode', 'copilot-cli'];
    expect(found).toEqual(HOST_FILES.map(([host]) => (measured.includes(host) ? '' : host)));
    const { said } = await setup('--host', 'codex');
    expect(said).toContain('Codex never lists again: it can call only the tools of its first list.');
    expect(said).toContain('remove "--concern preset=start"');
  });

  it('are changed for Claude Code if its tool search is off', async () => {
    const [[, file, text] = ['', '', '']] = HOST_FILES;
    write(file, text);
    write('.claude/settings.json', '{"env":{"ENABLE_TOOL_SEARCH":"false"}}');
    await setup('--yes');
    expect(textOf(file)).toContain('preset=start');
  });
});

it('plans without writing anything if nobody can be asked', async () => {
  write(OPENCODE, opencode(MANY));
  const { code, said } = await setup();
  expect(code).toBe(0);
  expect(said).toMatch(/crm {2}60 tools, [\d,]+ tokens -> 1 tool, [\d,]+ tokens/);
  expect(textOf(OPENCODE)).toBe(opencode(MANY));
  expect(existsSync(join(home, '.config/mcp-concerns'))).toBe(false);
});

it('gives a host a small list in which each tool can be found, shown and called under its name', async () => {
  write(
    COPILOT,
    `{"mcpServers":{"crm":{"command":"node","args":[${MANY}],"env":{"KEY":"v"},"tools":["*"]}}}`,
  );
  await setup('--yes');
  const [command = ''] = commandOf(COPILOT, 'mcpServers', 'crm', 'command');
  const args = commandOf(COPILOT, 'mcpServers', 'crm', 'args');
  const env = { ...process.env, KEY: 'v' } as Record<string, string>;
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  expect(await names()).toEqual(['concerns']);
  const found = await client.callTool({ name: 'concerns', arguments: { list: true } });
  expect(JSON.stringify(found).match(/crm_[a-z]+_[a-z]+/g)?.length).toBeGreaterThanOrEqual(60);
  await client.callTool({ name: 'concerns', arguments: { show: ['crm_get_ticket'] } });
  expect(await names()).toContain('crm_get_ticket');
  const called = await client.callTool({ name: 'crm_get_ticket', arguments: {} });
  expect(JSON.stringify(called)).toContain('KEY=v');
  await client.close();
  expect(await usedNames()).toEqual(['crm_get_ticket']);
});

/** The names in the state of the user, whose lines have a day and a name. */
async function usedNames(): Promise<string[]> {
  const { readdirSync } = await import('node:fs');
  const folder = join(home, '.local/state/mcp-concerns/used');
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\d{4}-\d\d-\d\d /, '')),
  );
}

describe('a server', () => {
  it.each([
    ['hides tools in its host', opencode(MANY), 'enabled', /60 tools/],
    ['has no command', '{"mcp":{"crm":null,"a":[],"b":7,"c":{"command":{}}}}', 'crm', /it has no command/],
    ['is turned off', opencode(MANY).replace('"enabled":true', '"enabled":false'), 'crm', /it is turned off/],
    ['is remote', '{"mcp":{"r":{"type":"remote","url":"https://x.example/mcp"}}}', 'r', /it is remote/],
    ['needs a variable', opencode('"server-$' + '{NOT_SET_HERE}.mjs"'), 'crm', /NOT_SET_HERE.* has no value/],
    [
      'ends',
      opencode(JSON.stringify([SERVER, '60', 'crm', 'ends']).slice(1, -1)),
      'crm',
      /left as it is: it /,
    ],
    [
      'prints text',
      opencode(JSON.stringify([SERVER, '60', 'crm', 'prints']).slice(1, -1)),
      'crm',
      /left as it is: it /,
    ],
    ['lists nothing', opencode(JSON.stringify([SERVER, '0']).slice(1, -1)), 'crm', /it lists no tools/],
    ['does not exist', opencode('"no-such-file.mjs"'), 'crm', /left as it is: it /],
  ])('that %s stays as it is, or is named', async (_what, text, _key, expected) => {
    write(OPENCODE, text);
    const { code, said } = await setup();
    expect(code).toBe(0);
    expect(said).toMatch(expected);
    expect(textOf(OPENCODE)).toBe(text);
  });

  it('that is turned off or shared is not started', async () => {
    const starts = join(home, 'starts');
    vi.stubEnv('STARTS', starts);
    write(OPENCODE, opencode(MANY).replace('"enabled":true', '"enabled":false'));
    write('app/.vscode/mcp.json', `{"servers":{"crm":{"command":"node","args":[${MANY}]}}}`);
    const { said } = await setup('--yes', '--host', 'opencode', '--host', 'vscode');
    expect(said).toContain('--project changes it');
    expect(existsSync(starts)).toBe(false);
    await setup('--yes', '--project', '--host', 'vscode');
    expect(textOf('app/.vscode/mcp.json')).toContain('preset=start');
  });

  it('of a project runs in the folder of the project, and is listed once with its command', async () => {
    const starts = join(home, 'starts');
    vi.stubEnv('STARTS', starts);
    mkdirSync(join(home, 'other'));
    const entry = `{"command":"node","args":[${FEW}]}`;
    write(
      '.claude.json',
      `{"mcpServers":{"a":${entry},"b":${entry}},"projects":{"${home}/other":{"mcpServers":{"c":${entry}}},"${home}/gone":{"mcpServers":{"d":${entry}}}}}`,
    );
    const { said } = await setup('--host', 'claude-code');
    expect(
      readFileSync(starts, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.replace(/^\d+ /, ''))
        .sort(),
    ).toEqual([join(home, 'app'), join(home, 'other')]);
    expect(said).toContain('the folder of its project does not exist');
  });

  it('is counted as its host shows it', async () => {
    write(
      '.gemini/settings.json',
      `{"mcpServers":{"crm":{"command":"node","args":[${MANY}],"includeTools":["crm_get_ticket"]}}}`,
    );
    expect((await setup()).said).toMatch(/crm {2}1 tool, \d+ tokens: left as it is/);
  });
});

it('leaves a form of TOML that cannot be edited, and starts nothing', async () => {
  const starts = join(home, 'starts');
  vi.stubEnv('STARTS', starts);
  const text = `[mcp_servers]\ncrm = { command = "node", args = [${MANY}] }\n`;
  write('.codex/config.toml', text);
  const { code, said } = await setup('--yes', '--host', 'codex');
  expect(code).toBe(0);
  expect(said).toContain('crm  left as it is: its form cannot be edited without losing something');
  expect(textOf('.codex/config.toml')).toBe(text);
  expect(existsSync(starts)).toBe(false);
});

it('names a file that is not JSON with the line, and goes on', async () => {
  write('.gemini/settings.json', '{\n"mcpServers": {"broken');
  write(OPENCODE, opencode(MANY));
  const { said } = await setup('--yes');
  expect(said).toContain('it is not JSON in line 2');
  expect(textOf(OPENCODE)).toContain('preset=start');
});

it('gives one name in two hosts two policies if the commands differ', async () => {
  write(OPENCODE, opencode(MANY));
  write(
    COPILOT,
    `{"mcpServers":{"crm":{"command":"node","args":[${JSON.stringify([SERVER, '61']).slice(1, -1)}]}}}`,
  );
  await setup('--yes');
  const policies = [textOf(OPENCODE), textOf(COPILOT)].map((text) => /crm-[0-9a-f]{6}\.yaml/.exec(text)?.[0]);
  expect(new Set(policies).size).toBe(2);
});

describe('undo', () => {
  it('keeps what a host or a person wrote since, and has no secret in its file', async () => {
    write(COPILOT, `{"a":1,"mcpServers":{"crm":{"command":"node","args":[${MANY}],"env":{"KEY":"s3cret"}}}}`);
    await setup('--yes');
    expect(textOf(journal)).not.toContain('s3cret');
    expect(statSync(join(home, journal)).mode & 0o777).toBe(0o600);
    write(COPILOT, textOf(COPILOT).replace('"a":1', '"a":2'));
    const { said } = await setup('--undo');
    expect(said).toContain('changed since stays');
    expect(JSON.parse(textOf(COPILOT))).toEqual({
      a: 2,
      mcpServers: { crm: { command: 'node', args: [SERVER, '60'], env: { KEY: 's3cret' } } },
    });
    expect(existsSync(join(home, journal))).toBe(false);
  });

  it('names a file that is gone, and one that cannot be edited any more', async () => {
    write(OPENCODE, opencode(MANY));
    write(COPILOT, `{"mcpServers":{"crm":{"command":"node","args":[${MANY}]}}}`);
    await setup('--yes');
    rmSync(join(home, OPENCODE));
    write(COPILOT, '{ not json');
    const { code, said } = await setup('--undo');
    expect(code).toBe(1);
    expect(said).toContain('opencode.json does not exist any more');
    expect(said).toContain('mcp-config.json cannot be edited');
    expect(textOf(COPILOT)).toBe('{ not json');
    expect(JSON.parse(textOf(journal))).toHaveLength(1);
  });

  it('does not bring back a server that the person removed since', async () => {
    write(OPENCODE, opencode(MANY));
    await setup('--yes');
    write(OPENCODE, '{"mcp":{}}');
    await setup('--undo');
    expect(textOf(OPENCODE)).toBe('{"mcp":{}}');
  });
});

describe('a later day', () => {
  it('says which change a host lost when it wrote its file from memory, and plans it again', async () => {
    write(OPENCODE, opencode(MANY));
    await setup('--yes');
    write(OPENCODE, opencode(MANY));
    const { said } = await setup('--yes');
    expect(said).toContain('the change of crm was lost');
    expect(textOf(OPENCODE)).toContain('preset=start');
    await setup('--undo');
    expect(textOf(OPENCODE)).toBe(opencode(MANY));
  });

  it('repairs a program that is gone', async () => {
    write(OPENCODE, opencode(MANY));
    await setup('--yes');
    const right = textOf(OPENCODE);
    write(OPENCODE, right.replace(JSON.stringify(process.execPath), '"/gone/bin/node"'));
    const { said } = await setup('--yes');
    expect(said).toContain('its program is not there any more');
    expect(commandOf(OPENCODE, 'mcp', 'crm', 'command')).toEqual(
      read(JSON.parse(right), 'mcp', 'crm', 'command'),
    );
  });

  it('lets the start follow what was called, and leaves all other lines of the policy', async () => {
    write(OPENCODE, opencode(MANY));
    await setup('--yes');
    const [policy = ''] = commandOf(OPENCODE, 'mcp', 'crm', 'command').filter((part) =>
      part.endsWith('.yaml'),
    );
    writeFileSync(policy, readFileSync(policy, 'utf8').replace('version: 1', '# mine\nversion: 1'));
    expect((await setup('--yes')).said).toContain('not enough calls yet');
    const { UsedToolsLog } = await import('../../../src/cli/serving/used-tools.js');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 9 * 86_400_000 });
    const used = new UsedToolsLog(process.env, ['node', SERVER, '60'].join(' '));
    for (let call = 0; call < 12; call++) {
      const name = call < 8 ? 'crm_get_ticket' : 'crm_list_report';
      used.receive({ method: 'tools/call', params: { name } });
    }
    used.close();
    vi.useRealTimers();
    const before = readFileSync(policy, 'utf8').split('\n');
    const { said } = await setup('--yes');
    expect(said).toContain('+crm_get_ticket +crm_list_report');
    const after = readFileSync(policy, 'utf8').split('\n');
    const changed = before.filter((line) => !after.includes(line)).map((line) => line.trim().split(':')[0]);
    expect(changed.sort()).toEqual(['crm_get_ticket', 'crm_list_report']);
    expect(after).toContain('# mine');
    expect(after.join('\n')).toMatch(/crm_get_ticket: .*\[start, ticket\]/);
    expect((await setup('--yes')).said).toContain('Nothing to change');
  });
});

it('installs a program that stays if it runs from the cache of npx', async () => {
  const { ownProgram, installProgram } = await import('../../../src/cli/setup/own-program.js');
  const npm = join(home, 'npm.mjs');
  writeFileSync(
    npm,
    `import { mkdirSync, writeFileSync } from 'node:fs';
     const folder = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules/mcp-concerns/dist/cli';
     mkdirSync(folder, { recursive: true });
     writeFileSync(folder + '/main.js', '');`,
  );
  chmodSync(npm, 0o644);
  const io = {
    argv: ['node', join(home, '.npm/_npx/abc/node_modules/mcp-concerns/dist/cli/main.js')],
    env: { ...process.env, npm_execpath: npm },
  };
  const { install, command } = ownProgram(io);
  expect(install).toEqual({
    from: join(home, '.npm/_npx/abc/node_modules/mcp-concerns'),
    to: expect.stringContaining(join(home, '.local/share/mcp-concerns')),
  });
  if (install === undefined) throw new Error('It would not be installed.');
  installProgram(install, io.env);
  expect(existsSync(command[1] ?? '')).toBe(true);
  expect(ownProgram(io)).toEqual({ command });
  writeFileSync(npm, 'console.error("npm error 404"); process.exit(1);');
  expect(() => installProgram(install, io.env)).toThrow('npm error 404');
});

it('is what an empty command line runs', async () => {
  write(OPENCODE, opencode(FEW));
  const { code, stdout } = await runIn(join(home, 'app'));
  expect([code, stdout]).toEqual([0, expect.stringContaining('3 tools')]);
});
