import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN } from '../run.js';
import { login, path, SALT, throughFunction, throughServe } from './conversation.js';

/** The commands of the guide, in their order. */
const COMMANDS = [
  ...readFileSync('docs/guides/operate.md', 'utf8').matchAll(/^```sh questions\n([\s\S]*?)^```$/gm),
].map(([, command = '']) => command.trim());

const TOOLS = ['look', 'wipe', 'fail', 'broken', 'exit'];
const catalog = { tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })) };

describe.each([
  ['a function', throughFunction],
  ['serve', throughServe],
])('the guide answers questions about the log of %s', (_host, converse) => {
  it('with the commands that it names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'questions-'));
    const lines = (await converse()).map((line, index) => ({
      ...line,
      ...('timestamp' in line
        ? { timestamp: `2026-11-28T02:14:${String(index % 60).padStart(2, '0')}.000Z` }
        : {}),
    }));
    // As "aws logs tail" writes them.
    const text = lines.map((line) => `2026-11-28T02:14:00 stream ${JSON.stringify(line)}\n`).join('');
    writeFileSync(join(folder, 'log.jsonl'), `START RequestId: one\n${text}`);
    writeFileSync(join(folder, 'catalog.json'), JSON.stringify(catalog));
    const answers = COMMANDS.map((command) => {
      const run = command
        .replaceAll('npx mcp-concerns', `'${process.execPath}' '${resolve(MAIN)}'`)
        .replaceAll('https://login.example/', login.issuer)
        .replaceAll(' policy.yaml', ` ${path}`);
      const env = { ...process.env, MCP_CONCERNS_LOG_SALT: SALT, NO_COLOR: '1' };
      return spawnSync('sh', ['-c', run], { cwd: folder, encoding: 'utf8', env });
    });
    expect(answers.map(({ status, stderr }) => [status, stderr.replace(/^note: .*\n/gm, '')])).toEqual(
      COMMANDS.map(() => [0, '']),
    );
    const [why, switched, policy, failed] = answers.map(({ stdout }) => stdout);
    expect(why).toContain('The same decision: tools/call wipe');
    expect(why).toMatch(/hidden: its plan is pro, but at most free is in effect \(.*policy\.yaml:8\)/);
    expect(switched).toMatch(
      /Switched: updateConcerns\n {2}time {6}2026-11-28T02:14.*\n {2}session .*\n {2}in effect effect=write/,
    );
    expect(switched).toContain('wipe hidden: its plan is pro');
    expect(policy).toMatch(/^ *\d+ "policy":"[0-9a-f]{32}"\n$/);
    expect(failed).toMatch(/1 "error\.type":"-32603"/);
    expect(failed).toMatch(/1 "error\.type":"tool_error"/);
  });
});
