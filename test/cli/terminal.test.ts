import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture, MAIN } from './run.js';
import { answered, inTerminal } from './shown.js';

const VAULT = '--policy policies/vault.yaml --catalog policies/vault.catalog.json';
const COMMANDS = [
  `explain deleteKey ${VAULT} --concern preset=safe --concern environment=production`,
  `list ${VAULT} --concern preset=audit`,
  `tokens ${VAULT} --budget 100000`,
  `check policies/vault.yaml --catalog policies/vault.catalog.json`,
  // These print findings with long messages and long lines, to stdout and to stderr.
  'check policies/playwright.yaml --catalog policies/vault.catalog.json',
  'list --policy test/cli/fixtures/warned.yaml --catalog test/cli/fixtures/small.catalog.json',
  'diff policies/vault.yaml policies/everything.yaml --catalog policies/vault.catalog.json',
  'test policies/vault.yaml --coverage',
];
/** Bold, dim, red, green, magenta, and their ends: readable on light and dark backgrounds. */
const READABLE = new Set(['1', '2', '22', '31', '32', '35', '39']);
const terminal = (columns: number, environment: string, args: string) =>
  inTerminal(columns, `${environment} ${process.execPath} ${MAIN} ${args}`);

const able = (await inTerminal(80, 'true')) !== undefined;
const reason = able ? '' : ' (skipped: "script" of util-linux is not installed)';

describe.runIf(able).concurrent(`in a real terminal${reason}`, () => {
  it.each(COMMANDS)('fits the width: %s', async (args) => {
    for (const columns of [80, 140]) {
      const [painted = '', bare = '', never] = await Promise.all([
        terminal(columns, 'env -u NO_COLOR -u CI TERM=xterm-256color', args),
        terminal(columns, 'env NO_COLOR=1', args),
        terminal(columns, 'env -u NO_COLOR -u CI TERM=xterm-256color', `${args} --color never`),
      ]);
      expect(painted).toContain('\u001b[');
      const codes = painted.split('\u001b[').slice(1);
      expect(
        codes.map((code) => code.slice(0, code.indexOf('m'))).filter((code) => !READABLE.has(code)),
      ).toEqual([]);
      expect(bare).not.toContain('\u001b[');
      expect(stripVTControlCharacters(painted)).toBe(bare);
      const widest = Math.max(...bare.split('\n').map(({ length }) => length));
      expect(widest).toBeGreaterThan(20);
      expect(widest).toBeLessThanOrEqual(columns);
      expect(never).toBe(bare);
    }
  });

  it('assumes 80 columns if the terminal says that it has none', async () => {
    const message = `list --policy ${'missing/'.repeat(12)} -- x || true`;
    for (const args of [...COMMANDS.slice(0, 3), message]) {
      const [none, eighty] = await Promise.all(
        [0, 80].map((columns) => terminal(columns, 'env NO_COLOR=1', args)),
      );
      expect(none).toBe(eighty);
      expect(none?.length).toBeGreaterThan(100);
    }
  });

  it('shows progress, and clears it', async () => {
    const slow = `"setTimeout(() => {}, 900)"`;
    const output = await inTerminal(
      80,
      `${process.execPath} ${MAIN} list --save - -- ${process.execPath} -e ${slow} || true`,
    );
    expect(output).toMatch(/Listing \S+ -e .+, 0 s/);
    expect(output).toContain('\r\u001b[2Kmcp-concerns: The server ');
  });
});

describe.runIf(able)(`setup in a real terminal${reason}`, () => {
  let home = '';
  let file = '';
  const entry = (count: string) => ({ command: ['node', fixture('many-tools.mjs'), count] });
  const hostWrites = (servers: object) => writeFileSync(file, JSON.stringify({ mcp: servers }));
  const setup = (meanwhile?: () => void, ...before: string[]) => {
    const command = [process.execPath, ...before, resolve(MAIN), 'setup']
      .map((part) => `'${part}'`)
      .join(' ');
    return answered(command, 'y', { PATH: process.env.PATH, HOME: home }, meanwhile);
  };
  const commandsIn = (): string[] =>
    Object.values<{ command: string[] }>(JSON.parse(readFileSync(file, 'utf8')).mcp).map(({ command }) =>
      command.includes('preset=start') ? 'narrowed' : command.slice(2).join(' '),
    );

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'home '));
    file = join(home, '.config/opencode/opencode.json');
    mkdirSync(join(home, '.config/opencode'), { recursive: true });
    hostWrites({ crm: entry('60'), two: entry('61') });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('waits for the answer of a person below npx, where a read of the terminal does not wait', async () => {
    const npx = join(home, 'npx.mjs');
    writeFileSync(
      npx,
      `import { spawn } from 'node:child_process';
       process.stdin.resume().pause();
       spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' }).on('exit', (code) => process.exit(code));`,
    );
    expect(await setup(undefined, npx)).toContain('Restart opencode.');
    expect(commandsIn()).toEqual(['narrowed', 'narrowed']);
  });

  it('changes only what still is as planned when the host wrote its file meanwhile', async () => {
    const said = await setup(() => hostWrites({ crm: entry('7'), two: entry('61') }));
    expect(said).toContain('1 server changed meanwhile');
    expect(said).toContain('Restart opencode.');
    expect(commandsIn()).toEqual(['7', 'narrowed']);
  });

  it('leaves a file that is gone meanwhile', async () => {
    const gone = await setup(() => rmSync(file));
    expect(gone).toContain('written or removed meanwhile');
    expect(existsSync(file)).toBe(false);
    expect(existsSync(join(home, '.config/mcp-concerns/undo.json'))).toBe(false);
  });
});
