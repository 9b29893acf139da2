import { expect, it } from 'vitest';
import { run } from './run.js';

const SERVER = [process.execPath, 'test/eras/fixtures/server.mjs'];
const list = ['list', '--no-project', '--policy', 'policies/vault.yaml', '--format', 'json'];

it('list asks a server that speaks only 2026-07-28, and says which version was spoken', async () => {
  const { stdout, code } = await run(...list, '--', ...SERVER, 'modern', 'stdio');
  expect(code).toBe(0);
  const { protocol, tools } = JSON.parse(stdout);
  expect(protocol).toBe('2026-07-28');
  expect(tools.map(({ name }: { name: string }) => name)).toContain('hello');
});

it('list speaks 2026-07-28 to a server of both eras only if it is told to', async () => {
  const spoken = async (...options: string[]) => {
    const { stdout } = await run(...list, ...options, '--', ...SERVER, 'both', 'stdio');
    return JSON.parse(stdout).protocol;
  };
  expect(await spoken()).toBe('2025-11-25');
  expect(await spoken('--protocol', '2026-07-28')).toBe('2026-07-28');
});

it.each(['list', 'list --save'])(
  '%s says in one sentence that a server does not speak the version',
  async (name) => {
    const options = name === 'list' ? list.slice(1) : ['--no-project', '--save', '-'];
    const given = ['list', ...options, '--protocol', '2026-07-28', '--', ...SERVER, 'legacy', 'stdio'];
    const { stderr, code } = await run(...given);
    expect(code).toBe(2);
    expect(stderr).toContain('mcp-concerns: The server does not speak 2026-07-28. Leave out --protocol.');
  },
);

it.each(['list', 'serve'])('%s names the versions of a server that speaks none of ours', async (name) => {
  const future = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const error = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2027-01-01'] } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, error }));
  });`;
  const options = name === 'list' ? list.slice(1) : [...list.slice(1, 4), '--port', '0'];
  const { stderr, code } = await run(name, ...options, '--', process.execPath, '-e', future);
  expect(code).toBe(2);
  expect(stderr).toContain(
    'mcp-concerns: The server speaks only 2027-01-01. This version speaks 2026-07-28 and up to 2025-11-25.',
  );
});
