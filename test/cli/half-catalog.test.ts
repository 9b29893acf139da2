import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, fixture, runIn } from './run.js';

/** A server that refuses one of its lists: nobody knows whether it still has what was there. */
const folder = mkdtempSync(join(tmpdir(), 'half-'));
afterAll(() => rmSync(folder, { recursive: true }));
const LISTS = ['resources/list', 'resources/templates/list'];
const REASON = `The server "${process.execPath}" refused resources/list: MCP error -32603: No database`;
const WARNING = `warning: ${REASON}. Its resources are not known, so nothing says that one is missing.\n`;

const against = (refused: readonly string[], ...args: string[]): Promise<Ended> =>
  runIn(folder, ...args, '--', process.execPath, fixture('half-server.mjs'), ...refused);
const file = (name: string): string => readFileSync(join(folder, name), 'utf8');

beforeAll(async () => {
  expect((await against([], 'init')).code).toBe(0);
  expect((await against([], 'pin')).code).toBe(0);
  copyFileSync(join(folder, 'policy.yaml'), join(folder, 'whole.yaml'));
});

describe('a server that refuses one list', () => {
  it('gets a policy for its other lists, with a warning', async () => {
    const { code, stderr } = await against(['resources/list'], 'init', '-o', 'half.yaml');
    expect([code, stderr]).toEqual([0, expect.stringContaining(WARNING)]);
    expect(stderr).toContain('Wrote half.yaml: 2 tools, 1 resource template;');
  });

  it.each(LISTS)('has no dead entries of %s and what belongs to it', async (list) => {
    const { code, stdout } = await against([list], 'check', '--deny-warnings');
    expect([code, stdout]).toEqual([0, expect.stringContaining('No findings')]);
  });

  it('keeps its entries in an update', async () => {
    const { code, stderr } = await against(['resources/list'], 'init', '--update');
    expect([code, stderr]).toEqual([0, expect.stringContaining('nothing added, nothing removed')]);
    expect(file('policy.yaml')).toBe(file('whole.yaml'));
  });

  it('keeps its pins, and reviews nothing of the list', async () => {
    const before = file('policy.lock.yaml');
    expect(await against(['resources/list'], 'pin', '--review')).toMatchObject({
      code: 0,
      stdout: 'Every definition is the pinned one.\n',
    });
    expect((await against(['resources/list'], 'pin')).code).toBe(0);
    expect(file('policy.lock.yaml')).toBe(before);
  });

  it('says so in a snapshot, and to all who read it', async () => {
    const { code, stderr } = await against(['resources/list'], 'list', '--save', 'half.json');
    expect([code, stderr]).toEqual([0, expect.stringContaining(WARNING)]);
    expect(JSON.parse(file('half.json')).unlisted).toEqual({ resources: REASON });
    const check = await runIn(folder, 'check', 'whole.yaml', '--catalog', 'half.json', '--deny-warnings');
    expect(check).toMatchObject({ code: 0, stderr: WARNING });
  });
});

it('a server that refuses all of its lists has no catalog', async () => {
  const { code, stderr } = await against(['tools/list', ...LISTS], 'list', '--save', '-');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('refused tools/list: MCP error -32603: No database'),
  ]);
});
