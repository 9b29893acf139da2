import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Policy } from '../../src/core/engine/policy.js';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { policyOf } from '../gate/gate-harness.js';

/** The text of every hidden file contains this mark. */
const MARK = 'h1dd3n';
const POLICY = `
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
patterns: { resources: { "skill://${MARK}*": { tier: pro }, "skill://open/${MARK}*": { tier: pro } } }
settings: { enforcement: ENFORCEMENT }
`;
const policyWith = (enforcement: string) => policyOf(POLICY.replace('ENFORCEMENT', enforcement));

const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: ${text}\n---\n${text}\n`;
const FILES = {
  'open/SKILL.md': skill('open', 'An open skill'),
  'open/guide.md': 'guide',
  [`open/${MARK}.md`]: MARK,
  [`${MARK}/SKILL.md`]: skill(MARK, MARK),
  [`${MARK}/guide.md`]: MARK,
};

async function connect(mode: 'auto' | 'legacy', policy: Policy) {
  const catalog = await SkillCatalog.load(memorySkillFiles(FILES), {
    cacheHint: { ttlMs: 1000, cacheScope: 'public' },
  });
  const server = () => {
    const made = new McpServer({ name: 'skills', version: '1.0.0' });
    catalog.attach(made);
    return made;
  };
  const handle = createHandler({ server, policy, store: createMemoryStore() });
  const client = new Client(
    { name: 'c', version: '1' },
    mode === 'auto' ? { versionNegotiation: { mode } } : {},
  );
  const fetch = (url: string | URL, init?: RequestInit) => handle(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://skills.test/mcp'), { fetch }));
  const ask = async (method: string, params: object = {}): Promise<string> => {
    try {
      return JSON.stringify(await client.request({ method, params } as never, z.looseObject({})));
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data?: unknown };
      return JSON.stringify({ code, message, data });
    }
  };
  return { ask, close: () => client.close() };
}

describe.each(['auto', 'legacy'] as const)(
  'the Skills extension under enforce, version negotiation %s',
  (mode) => {
    it('lists only visible skills and files', async () => {
      const { ask, close } = await connect(mode, policyWith('enforce'));
      const list = await ask('skills/list');
      expect(list).toContain('skill://open/SKILL.md');
      expect(list).toContain('skill://open/guide.md');
      expect(list).not.toContain(MARK);
      if (mode === 'auto') expect(JSON.parse(list)).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
      const one = await ask('skills/get', { uri: 'skill://open/SKILL.md' });
      expect(one).toContain('skill://open/guide.md');
      expect(one).not.toContain(MARK);
      const directory = await ask('resources/directory/read', { uri: 'skill://open/' });
      expect(directory).not.toContain(MARK);
      expect(await ask('resources/directory/read', { uri: 'skill://' })).not.toContain(MARK);
      await close();
    });

    it.each(['skills/get', 'resources/read', 'resources/directory/read'])(
      'answers %s for a hidden URI as for one that does not exist',
      async (method) => {
        const { ask, close } = await connect(mode, policyWith('enforce'));
        const unknown = await ask(method, { uri: 'skill://nothing/SKILL.md' });
        const hidden = await ask(method, { uri: `skill://${MARK}/SKILL.md` });
        expect(hidden.replaceAll(MARK, 'nothing')).toBe(unknown);
        await close();
      },
    );

    it('is not filtered under advisory', async () => {
      const { ask, close } = await connect(mode, policyWith('advisory'));
      expect(await ask('skills/list')).toContain(`skill://${MARK}/SKILL.md`);
      expect(await ask('skills/get', { uri: `skill://${MARK}/SKILL.md` })).toContain(
        `skill://${MARK}/guide.md`,
      );
      await close();
    });
  },
);
