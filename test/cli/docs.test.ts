import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from './run.js';

const page = readFileSync('docs/reference/cli.md', 'utf8');
const blocks = [
  ...page.matchAll(/^```console\n\$ npx mcp-concerns (.+)\n([\s\S]*?)^```\n(?:\nExit code (\d))?/gm),
];

describe.concurrent('docs/reference/cli.md', () => {
  it('contains examples', () => {
    expect(blocks.length).toBeGreaterThan(6);
  });

  it.each(blocks.map(([, args = '', output = '', code = '0']) => [args, output, Number(code)] as const))(
    'shows the real output: %s',
    async (args, output, code) => {
      const ended = await run(...args.split(' '));
      expect(ended.code).toBe(code);
      // A line with an ellipsis replaces lines that are left out.
      let rest = ended.stdout + ended.stderr;
      for (const part of output.split(/^…\n/m)) {
        expect(rest).toContain(part);
        rest = rest.slice(rest.indexOf(part) + part.length);
      }
      if (!output.endsWith('…\n')) expect(rest).toBe('');
    },
  );

  it('has a section for every command', async () => {
    const { stdout } = await run('--help');
    for (const [, command] of stdout.matchAll(/^ {2}(\w+) {2,}\w/gm)) {
      if (command !== 'mcp') expect(page).toContain(`\n## ${command}\n`);
    }
  });
});
