import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { policyFile } from '../gate/gate-harness.js';

const PROGRAM = join(mkdtempSync(join(process.cwd(), 'build/stdio-')), 'server.mjs');
buildSync({
  entryPoints: ['test/behavior/stdio-server.ts'],
  outfile: PROGRAM,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
});

const params = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};
const BURST = [
  { id: 1, method: 'initialize', params },
  { method: 'notifications/initialized', params: { concerns: { security: 'high' } } },
  { id: 2, method: 'tools/list' },
];

it.each(['v1', 'v2'])(
  'applies preferences to a list in the same write as initialize, over stdio with SDK %s',
  async (generation) => {
    const file = policyFile(`
concerns: { security: { values: [low, medium, high] } }
primitives: { tools: { encryptData: { security: high }, logData: { security: low } } }
`);
    const child = spawn(process.execPath, [PROGRAM, generation, file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const answer = async (id: number): Promise<unknown> => {
        for (;;) {
          const { value, done } = await lines.next();
          if (done === true) return undefined;
          const message: unknown = JSON.parse(value);
          if (read(message, 'id') === id) return message;
        }
      };
      const send = (messages: readonly object[]): boolean =>
        child.stdin.write(
          messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''),
        );
      const isHidden = (message: unknown): boolean => !JSON.stringify(message).includes('"logData"');
      send(BURST);
      const first = await answer(2);
      expect(read(first, 'result', '_meta', EXTENSION_ID, 'concerns')).toEqual({ security: 'high' });
      expect(isHidden(first)).toBe(true);
      send([{ id: 3, method: 'tools/list' }]);
      expect(isHidden(await answer(3))).toBe(true);
    } finally {
      child.kill();
    }
  },
);
