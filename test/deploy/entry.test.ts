import { describe, expect, it } from 'vitest';
import { entryOf } from '../../src/deploy/entry.js';

describe('the silence of a server', () => {
  it.each([
    [{ package: 'server' }, 'silenceMs: 25000'],
    [{ package: 'server', silence: 5 }, 'silenceMs: 5000'],
    [{ url: 'https://mcp.example/mcp' }, 'silenceMs: 25000'],
    [{ url: 'https://mcp.example/mcp', silence: 120 }, 'silenceMs: 120000'],
  ])('of %j is %s', (server, limit) => {
    expect(entryOf({ server }, new Map([['server', 'bin.js']]))).toContain(limit);
  });
});
