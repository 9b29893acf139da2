import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { KINDS } from '../../src/core/engine/policy.js';
import { isReserved, panelNames } from '../../src/core/gate/table/routes.js';
import { isPanelName } from '../../src/core/policy/check/check-panel.js';
import { type PolicyCatalog, readPolicy } from '../../src/core/policy/index.js';
import { policyOf, write, yaml } from './author.js';

const { settings: NO_SETTINGS } = policyOf('version: 1\n');

/** The findings of a policy against a catalog, each as `line:column code`, sorted by place. */
function found(text: string, catalog: PolicyCatalog): string[] {
  return findings(text, catalog).map(({ line, column, code }) => `${line}:${column} ${code}`);
}

function findings(text: string, catalog: PolicyCatalog) {
  return readPolicy(join(write({ 'policy.yaml': text }), 'policy.yaml'), catalog).findings;
}

const messagesOf = (text: string, catalog: PolicyCatalog, code: string) =>
  findings(text, catalog)
    .filter((finding) => finding.code === code)
    .map(({ message }) => message);

const named = (...names: string[]) => names.map((name) => ({ name }));

const CONCERNS = yaml`
  version: 1
  concerns:
    level: { values: [low, high] }
    access: { values: [read, write] }
`;

describe('entries and patterns that do not match anything', () => {
  const catalog: PolicyCatalog = {
    tools: named('encrypt_text', 'list_keys', 'delete_key'),
    prompts: named('review'),
    resources: [{ uri: 'vault://audit' }, { uri: 'vault://keys/1' }],
    resourceTemplates: [{ uriTemplate: 'vault://records/{id}' }],
  };

  it('are reported with their kind', () => {
    const text = `${CONCERNS}${yaml`
      primitives:
        tools: { encrypt_txt: { level: high }, list_keys: {}, delete_key: {}, review: {} }
        prompts: { review: {} }
        resources: { "vault://audit": {}, "vault://keys/1": {}, "vault://none": {} }
        resourceTemplates: { "vault://records/{id}": {}, "vault://other/{id}": {} }
      patterns:
        tools: { "encrypt*": { level: low }, "drop*": { level: low } }
    `}`;
    expect(found(text, catalog)).toEqual([
      '6:12 dead-entry',
      '6:73 dead-entry',
      '8:59 dead-entry',
      '9:52 dead-entry',
      '11:40 dead-entry',
    ]);
    expect(messagesOf(text, catalog, 'dead-entry')).toEqual([
      'The server does not have a tool "encrypt_txt". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
      'The server does not have a tool "review". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
      'The server does not have a resource "vault://none". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
      'The server does not have a resource template "vault://other/{id}". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
      'The pattern "drop*" does not match any tool that the server lists now. It still decides about what the server adds. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
    ]);
  });

  it('get the most similar unmapped primitive as a hint', () => {
    const text = `${CONCERNS}primitives: { tools: { encrypt_txt: {}, list_keys: {}, delete_keys: {}, delete_key: {} } }\n`;
    expect(messagesOf(text, catalog, 'dead-entry')).toEqual([
      'The server does not have a tool "encrypt_txt". Did you mean "encrypt_text"?',
      'The server does not have a tool "delete_keys". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
    ]);
  });

  it('are not reported for URIs that match a template of the server', () => {
    const text = `${CONCERNS}primitives: { resources: { "vault://records/7": { level: low }, "vault://recordings/7": {} } }\n`;
    expect(messagesOf(text, catalog, 'dead-entry')).toEqual([
      'The server does not have a resource "vault://recordings/7". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
    ]);
  });

  it('are reported for a tool with the name of a resource', () => {
    const text = `${CONCERNS}primitives: { tools: { "vault://audit": {} } }\n`;
    expect(messagesOf(text, { ...catalog, tools: [] }, 'dead-entry')).toEqual([
      'The server does not have a tool "vault://audit". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
    ]);
  });

  it('are not reported for URIs that match one of several templates', () => {
    const text = `${CONCERNS}primitives: { resources: { "vault://records/7": { level: low } } }\n`;
    const resourceTemplates = [
      { uriTemplate: 'vault://other/{id}' },
      { uriTemplate: 'vault://records/{id}' },
    ];
    expect(messagesOf(text, { resourceTemplates }, 'dead-entry')).toEqual([]);
  });

  it('are not reported for templates from which a listed resource inherits', () => {
    const text = `${CONCERNS}primitives: { resourceTemplates: { "vault://keys/{id}": { level: low }, "vault://locks/{id}": {} } }\n`;
    expect(messagesOf(text, catalog, 'dead-entry')).toEqual([
      expect.stringContaining('The server does not have a resource template "vault://locks/{id}"'),
    ]);
  });
});

describe('patterns without effect', () => {
  const catalog = { tools: named('log_a', 'log_b') };

  it.each<[string, string, string[]]>([
    [
      'replaced by entries',
      'primitives: { tools: { log_a: { level: low }, log_b: { level: low } } }',
      ['shadowed-entry'],
    ],
    ['replaced by one entry only', 'primitives: { tools: { log_a: { level: low }, log_b: {} } }', []],
    [
      'taken away by entries',
      'primitives: { tools: { log_a: { level: any }, log_b: { level: any } } }',
      ['shadowed-entry'],
    ],
    [
      'with another concern than the entries',
      'primitives: { tools: { log_a: { access: read }, log_b: { access: read } } }',
      [],
    ],
  ])('are reported only if no value of them applies: %s', (_name, entries, codes) => {
    const text = `${CONCERNS}patterns: { tools: { "log*": { level: high } } }\n${entries}\n`;
    const all = findings(text, catalog).filter(({ code }) => code === 'shadowed-entry');
    expect(all.map(({ code }) => code)).toEqual(codes);
    if (codes.length > 0) expect(all[0]).toMatchObject({ line: 5, column: 22, length: 6 });
  });

  it('are reported if a later pattern replaces them, not if an earlier one does', () => {
    const text = `${CONCERNS}patterns: { tools: { "log*": { level: high }, "*": { level: low } } }\n`;
    expect(messagesOf(text, catalog, 'shadowed-entry')).toEqual([
      'For everything that the server lists now, later patterns or entries replace every value of the pattern "log*". It still decides about what the server adds. If that is meant, say why in a comment: # mcp-concerns-ignore shadowed-entry: reason.',
    ]);
  });

  it('are not reported if some of their values apply', () => {
    const text = `${CONCERNS}patterns: { tools: { "*": { level: high, access: read }, "log*": { level: low } } }\n`;
    expect(messagesOf(text, catalog, 'shadowed-entry')).toEqual([]);
    const some = `${CONCERNS}patterns: { tools: { "*": { level: high }, "log_a*": { level: low } } }\n`;
    expect(messagesOf(some, catalog, 'shadowed-entry')).toEqual([]);
  });

  it('are not reported if they map without values or remove a value', () => {
    const entries = 'primitives: { tools: { log_a: { level: low }, log_b: { level: low } } }';
    for (const values of ['{}', '{ level: any }']) {
      const text = `${CONCERNS}patterns: { tools: { "log*": ${values} } }\n${entries}\n`;
      expect(messagesOf(text, catalog, 'shadowed-entry')).toEqual([]);
    }
  });
});

describe('primitives that the policy does not map', () => {
  const catalog: PolicyCatalog = {
    tools: [
      { name: 'a' },
      { name: 'own', _meta: { concerns: { level: 'low' } } },
      { name: 'reads', annotations: { readOnlyHint: true } },
    ],
    prompts: named('p'),
  };
  const assign =
    'assign: [{ when: { "===": [{ var: primitive.annotations.readOnlyHint }, true] }, to: { access: read } }]\n';

  it('are reported, with the effect on them', () => {
    const text = `${CONCERNS}primitives: { tools: {} }\n${assign}`;
    expect(messagesOf(text, catalog, 'unmapped')).toEqual([
      'The policy does not map the prompt "p", so every host sees what is not mapped. Add an entry with values for each, or {} if every host may see it.',
      'The policy does not map the tool "a", so every host sees what is not mapped. Add an entry with values for each, or {} if every host may see it.',
    ]);
    expect(found(text, catalog)).toEqual(['1:1 unmapped', '5:15 unmapped']);
    expect(messagesOf(`${text}settings: { unmapped: hide }\n`, catalog, 'unmapped')[1]).toBe(
      'The policy does not map 2 tools: "a", "own", so nobody sees what is not mapped. Add entries with values, or list the names under "review". An entry {} would show a primitive to every host.',
    );
  });
});

describe('values that contradict the annotations', () => {
  const tool = (readOnlyHint: unknown) => ({ tools: [{ name: 'a', annotations: { readOnlyHint } }] });

  it.each<[string, unknown, number]>([
    ['read', false, 1],
    ['read', true, 0],
    ['read', undefined, 0],
    // Stricter than the hint.
    ['write', true, 0],
    ['write', false, 0],
    ['[read, write]', true, 0],
    ['[read, write]', false, 0],
  ])('are found: access: %s with readOnlyHint: %j', (access, hint, count) => {
    const text = `${CONCERNS}primitives: { tools: { a: { access: ${access} } } }\n`;
    expect(messagesOf(text, tool(hint), 'contradicts-annotations')).toHaveLength(count);
  });

  it.each(['read-only', 'readonly'])('are found for a value named %s', (value) => {
    const text = `version: 1\nconcerns: { effect: { values: [${value}, other] } }\nprimitives: { tools: { a: { effect: ${value} } } }\n`;
    expect(found(text, tool(false))).toContain('3:24 contradicts-annotations');
    expect(messagesOf(text, tool(false), 'contradicts-annotations')).toEqual([
      `effect of "a" is ${value}, but its readOnlyHint is false. Change one of them.`,
    ]);
    expect(found(text, tool(true))).not.toContain('3:24 contradicts-annotations');
  });

  it('are not found for ranges', () => {
    const text =
      'version: 1\nconcerns: { price: { values: { min: 0, max: 1 } } }\nprimitives: { tools: { a: { price: 1 } } }\n';
    expect(messagesOf(text, tool(true), 'contradicts-annotations')).toEqual([]);
  });

  it.each(['spread', 'reader', 'overwrite', 'writes', 'write', 'destructive'])(
    'are not found for a value named %s',
    (value) => {
      const text = `version: 1\nconcerns: { effect: { values: [${value}, other] } }\nprimitives: { tools: { a: { effect: ${value} } } }\n`;
      for (const hint of [true, false]) {
        expect(messagesOf(text, tool(hint), 'contradicts-annotations')).toEqual([]);
      }
    },
  );

  it('are reported with all values', () => {
    const text =
      'version: 1\nconcerns: { effect: { values: [read, read-only] } }\nprimitives: { tools: { a: { effect: [read, read-only] } } }\n';
    expect(messagesOf(text, tool(false), 'contradicts-annotations')).toEqual([
      'effect of "a" is read, read-only, but its readOnlyHint is false. Change one of them.',
    ]);
  });

  it('are not found if annotations are null', () => {
    const text = `${CONCERNS}primitives: { tools: { a: { access: read } } }\n`;
    expect(
      messagesOf(text, { tools: [{ name: 'a', annotations: null }] }, 'contradicts-annotations'),
    ).toEqual([]);
  });

  it('are not found for an assign that removes a value', () => {
    const text = `${CONCERNS}assign: [{ when: true, to: { level: any } }]\nprimitives: { tools: { a: { level: low } } }\n`;
    expect(messagesOf(text, { tools: named('a') }, 'contradicts-annotations')).toEqual([]);
  });

  it('are found if an entry differs from the value that an assign derives', () => {
    const text = `${CONCERNS}${yaml`
      assign:
        - when: { "===": [{ var: primitive.annotations.openWorldHint }, true] }
          to: { level: [low] }
      primitives:
        tools: { a: { level: high }, b: { level: [low, high] }, c: {}, d: { level: any }, e: { level: high } }
    `}`;
    const open = ['a', 'b', 'c', 'd'].map((name) => ({ name, annotations: { openWorldHint: true } }));
    expect(messagesOf(text, { tools: [...open, { name: 'e' }] }, 'contradicts-annotations')).toEqual([
      expect.stringMatching(
        /^The level of "a" differs from the value that .*policy\.yaml:7 derives from its annotations\. Change one of them\.$/,
      ),
    ]);
  });
});

describe('a value that differs from a derived one', () => {
  const text = `${CONCERNS}${yaml`
    assign:
      - { when: { "===": [{ var: [primitive.annotations.readOnlyHint, false] }, false] }, to: { access: write } }
      - { when: { "starts-with": [{ var: primitive.name }, b] }, to: { level: high } }
    primitives:
      tools: { a: { access: read }, b: { access: write, level: low } }
  `}`;

  it('is reported once, also if the readOnlyHint alone contradicts it', () => {
    const a = { name: 'a', annotations: { readOnlyHint: false } };
    expect(messagesOf(text, { tools: [a] }, 'contradicts-annotations')).toEqual([
      expect.stringContaining('The access of "a" differs from the value that'),
    ]);
  });

  it('is not reported for a server without annotations', () => {
    expect(messagesOf(text, { tools: named('a', 'b') }, 'contradicts-annotations')).toEqual([]);
  });
});

describe('texts that name primitives that can be hidden', () => {
  const catalog = (description: string, instructions?: string): PolicyCatalog => ({
    tools: [{ name: 'listKeys', description } as { name: string }, { name: 'get_key' }, { name: 'delete' }],
    prompts: [{ name: 'review-access' }],
    instructions,
  });
  const values = (listKeys: string, getKey: string) =>
    `${CONCERNS}primitives:\n  tools: { listKeys: ${listKeys}, get_key: ${getKey}, delete: { level: low } }\n  prompts: { review-access: { level: low } }\n`;

  it.each<[string, string, string, string, number]>([
    ['shown while the other is hidden', 'First call get_key.', '{}', '{ level: low }', 1],
    ['hidden together', 'First call get_key.', '{ level: low }', '{ level: low }', 0],
    ['hidden earlier than the other', 'First call get_key.', '{ level: low }', '{}', 0],
    [
      'the other also has another value',
      'First call get_key.',
      '{ level: low }',
      '{ level: low, access: read }',
      1,
    ],
    ['itself', 'listKeys lists keys.', '{ level: low }', '{}', 0],
    ['a plain word', 'This does not delete anything.', '{}', '{}', 0],
    ['a part of a word', 'See get_key_2 and forget_key.', '{}', '{ level: low }', 0],
    ['a prompt', 'Run `review-access` before.', '{}', '{}', 1],
    ['quoted', '("get_key")', '{}', '{ level: low }', 1],
  ])(
    'are found only if a host can see the text but not the primitive: %s',
    (_name, description, listKeys, getKey, count) => {
      expect(messagesOf(values(listKeys, getKey), catalog(description), 'names-hidden')).toHaveLength(count);
    },
  );

  it('are reported at the entry of the primitive with the text, each name once', () => {
    const text = values('{}', '{ level: low }');
    const server = catalog('get_key, review-access, get_key.');
    expect(found(text, server).filter((each) => each.includes('names-hidden'))).toEqual([
      '6:12 names-hidden',
    ]);
    expect(messagesOf(text, server, 'names-hidden')).toEqual([
      'The description of "listKeys" names primitives that can be hidden while it is shown (get_key, review-access). A model may try to use them.',
    ]);
  });

  it('are found for names in camel case and with a hyphen, all in one finding', () => {
    const text = `${CONCERNS}primitives: { tools: { get: {}, getKey: { level: low }, drop-key: { level: low }, x: { level: low } } }\n`;
    const tools = [
      { name: 'get', description: 'x' } as { name: string },
      ...named('getKey', 'drop-key', 'x'),
    ];
    const server = { tools, instructions: 'getKey, x, then drop-key' };
    expect(messagesOf(text, server, 'names-hidden')).toEqual([
      'The instructions of the server name primitives that can be hidden (getKey, drop-key). A model may try to use them.',
    ]);
    expect(found(text, server)).toContain('1:1 names-hidden');
  });

  it('include the instructions of the server, which every configuration shows', () => {
    const server = catalog('', 'Call listKeys, then get_key.');
    expect(messagesOf(values('{}', '{ level: low }'), server, 'names-hidden')).toEqual([
      'The instructions of the server name primitives that can be hidden (get_key). A model may try to use them.',
    ]);
    expect(messagesOf(values('{}', '{}'), server, 'names-hidden')).toEqual([]);
  });
});

describe('findings about all configurations', () => {
  it('are reported at the place where the author can fix them', () => {
    const text = yaml`
      version: 1
      concerns:
        level: { values: [low, high] }
      primitives:
        tools:
          never: {}
          always: { level: [low, high] }
          low: { level: low }
      rules:
        - { id: sometimes, hide: [tools], when: { "===": [{ var: primitive.name }, never] } }
        - { id: silent, hide: [tools], when: { "===": [{ var: primitive.name }, nobody] } }
        - { id: loud, show: [prompts], when: true }
    `;
    const catalog = { tools: named('never', 'always', 'low'), prompts: named('p') };
    expect(
      findings(text, catalog).map(
        ({ line, column, code, severity }) => `${line}:${column} ${severity} ${code}`,
      ),
    ).toEqual([
      '1:1 warning unmapped',
      '6:5 warning never-visible',
      '7:5 warning always-visible',
      '11:7 warning rule-never-fires',
      '11:75 warning unlisted-name',
      '12:7 warning rule-always-fires',
    ]);
  });

  it('are explained', () => {
    const text = `${CONCERNS}${yaml`
      primitives:
        tools: { gone: {}, kept: { level: [low, high], access: [read, write] } }
      rules:
        - { id: gone, hide: [tools], when: { "===": [{ var: primitive.name }, gone] } }
        - { id: silent, hide: [tools], when: { "===": [{ var: primitive.name }, nobody] } }
        - { id: loud, show: [prompts], when: true }
    `}`;
    expect(
      findings(text, { tools: named('gone', 'kept'), prompts: named('p') })
        .map(({ message }) => message)
        .slice(1),
    ).toEqual([
      'No configuration shows the tool "gone", so nobody can use it. "mcp-concerns explain" says what hides it. If that is meant, say why in a comment: # mcp-concerns-ignore never-visible: reason.',
      'Every configuration shows the tool "kept", whatever its values are. Write {} if this is intended.',
      'The rule "silent" never fires: its condition is false for every configuration and primitive. Its condition may not mean what it appears to mean.',
      'The server does not have a tool "nobody", so this comparison is always false.',
      'The rule "loud" always fires: its condition is true for every configuration and primitive. Its condition may not mean what it appears to mean.',
    ]);
  });

  it('name all preferences that hide everything', () => {
    const text = `${CONCERNS}primitives: { tools: { a: { level: low }, b: { access: read } } }\n`;
    expect(messagesOf(text, { tools: named('a', 'b') }, 'empty-catalog')).toEqual([
      'A host with the preferences {level: high, access: write} sees no primitives, so the server looks broken to it. Decide what it may see. If that is nothing, say why in a comment: # mcp-concerns-ignore empty-catalog: reason.',
    ]);
  });

  it('are reported in the file that has the section', () => {
    const silent = (id: string) =>
      `rules: [{ id: ${id}, hide: [tools], when: { "===": [{ var: primitive.name }, ${id}] } }]\n`;
    const folder = write({
      'one.yaml': `${CONCERNS}${silent('one')}primitives: { prompts: {} }\npatterns: { tools: { "x*": {} } }\n`,
      'two.yaml': `version: 1\n${silent('two')}primitives: { tools: { a: {} } }\npatterns: { tools: { "y*": {} } }\n`,
      'policy.yaml': 'version: 1\ninclude: [one.yaml, two.yaml]\n',
    });
    const catalog = { tools: named('a', 'b'), prompts: named('p'), resources: [{ uri: 'vault://r' }] };
    const report = readPolicy(join(folder, 'policy.yaml'), catalog);
    expect(
      report.findings.map(
        ({ file, line, column, code }) => `${file.slice(folder.length + 1)}:${line}:${column} ${code}`,
      ),
    ).toEqual([
      'one.yaml:5:11 rule-never-fires',
      'one.yaml:5:76 unlisted-name',
      'one.yaml:6:15 unmapped',
      'one.yaml:7:22 dead-entry',
      'two.yaml:2:11 rule-never-fires',
      'two.yaml:2:76 unlisted-name',
      'two.yaml:3:15 unmapped',
      'two.yaml:4:22 dead-entry',
      'policy.yaml:1:1 unmapped',
    ]);
  });

  it('name the single preference that hides everything', () => {
    const text = `${CONCERNS}primitives: { tools: { a: { level: low, access: read }, b: { level: high, access: read } } }\n`;
    expect(messagesOf(text, { tools: named('a', 'b') }, 'empty-catalog')).toEqual([
      'A host with the preferences {access: write} sees no primitives, so the server looks broken to it. Decide what it may see. If that is nothing, say why in a comment: # mcp-concerns-ignore empty-catalog: reason.',
    ]);
    expect(found(text, { tools: named('a', 'b') })).toEqual(['2:1 empty-catalog']);
  });

  it('are reported in the included file that has the rule', () => {
    const folder = write({
      'common.yaml': `${CONCERNS}rules: [{ id: silent, hide: [tools], when: { "===": [{ var: primitive.name }, x] } }]\n`,
      'policy.yaml':
        'version: 1\ninclude: [common.yaml]\nprimitives: { tools: { a: { level: [low, high] } } }\n',
    });
    const report = readPolicy(join(folder, 'policy.yaml'), { tools: named('a') });
    expect(
      report.findings.map(({ file, line, code }) => `${file.slice(folder.length + 1)}:${line} ${code}`),
    ).toEqual([
      'common.yaml:5 rule-never-fires',
      'common.yaml:5 unlisted-name',
      'policy.yaml:3 always-visible',
    ]);
  });

  it('that could not be answered are reported at the start of the policy', () => {
    const values = Array.from({ length: 20 }, (_, index) => `v${index}`);
    const text = `version: 1
concerns: { topic: { values: [${values}], multiple: true } }
primitives: { tools: { a: { topic: v0 } } }
rules: [{ id: both, hide: [tools], when: { and: [{ in: [v1, { var: concerns.topic }] }, { in: [v2, { var: concerns.topic }] }] } }]
`;
    expect(found(text, { tools: named('a') })).toContain('1:1 not-analyzed');
    expect(messagesOf(text, { tools: named('a') }, 'not-analyzed')).toEqual([
      'There are too many configurations to determine what all combinations of several values of topic do.',
    ]);
  });

  it('are not searched in a policy with an error', () => {
    expect(
      found(`${CONCERNS}primitives: { tools: { gone: { level: hihg } } }\n`, { tools: named('a') }),
    ).toEqual(['5:15 unmapped', '5:24 dead-entry', '5:39 unknown-value']);
  });
});

const GITHUB = join(import.meta.dirname, '../../../shared/catalogs/github.json');
const github: PolicyCatalog | undefined = existsSync(GITHUB)
  ? JSON.parse(readFileSync(GITHUB, 'utf8'))
  : undefined;

describe.skipIf(github === undefined)(
  `a real catalog of 117 tools${github === undefined ? ` (skipped: ${GITHUB} does not exist)` : ''}`,
  () => {
    const text = yaml`
      version: 1
      concerns:
        access: { values: [read, write] }
        area: { values: [issues, code, other] }
      assign:
        - { when: { "===": [{ var: primitive.annotations.readOnlyHint }, true] }, to: { access: read } }
        - { when: { "===": [{ var: [primitive.annotations.readOnlyHint, false] }, false] }, to: { access: write } }
      primitives:
        tools:
          get_issue_detail: { area: issues }
          merge_pull_request: { access: read, area: code }
      patterns:
        tools:
          "*": { area: other }
          "*issue*": { area: issues }
          "teleport_*": { area: code }
          "search_pull*": { area: code }
      rules:
        - id: no-merging
          hide: [tools]
          when: { and: [{ "===": [{ var: concerns.area }, issues] }, { in: [{ var: primitive.name }, [merge_pull_request]] }] }
    `;
    const catalog = github ?? {};

    it('has exactly the expected findings', () => {
      const all = findings(text, catalog).filter(({ code }) => code !== 'names-hidden');
      expect(all.map(({ line, code }) => `${line} ${code}`)).toEqual([
        // `assign` also gives a value to the page of get_me.
        '1 ui-hidden',
        // area: code with access: write, because the only tool of code has access: read.
        '2 empty-catalog',
        '10 dead-entry',
        '11 contradicts-annotations',
        // ui_get, which only pages can call, is named by "*".
        '14 ui-hidden',
        '16 dead-entry',
      ]);
    });

    it('finds a description that names a tool that can be hidden', () => {
      expect(messagesOf(text, catalog, 'names-hidden')).toEqual([
        'The description of "list_pull_requests" names primitives that can be hidden while it is shown (search_pull_requests). A model may try to use them.',
      ]);
    });
  },
);

describe('the demo server, over its own protocol', () => {
  async function listed(): Promise<PolicyCatalog> {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = createVaultServer();
    const client = new Client({ name: 'check', version: '1.0.0' });
    await Promise.all([server.connect(far), client.connect(near)]);
    const [{ tools }, { prompts }, { resources }, { resourceTemplates }] = await Promise.all([
      client.listTools(),
      client.listPrompts(),
      client.listResources(),
      client.listResourceTemplates(),
    ]);
    const instructions = client.getInstructions();
    await client.close();
    await server.close();
    return { tools, prompts, resources, resourceTemplates, instructions };
  }
  const policies = join(import.meta.dirname, '../../policies');

  it('has a policy that maps everything, without dead entries or invisible primitives', async () => {
    const { findings: all } = readPolicy(join(policies, 'vault.yaml'), await listed());
    const codes = new Set(all.map(({ code }) => code));
    expect([...codes].filter((code) => code !== 'empty-catalog' && code !== 'names-hidden')).toEqual([]);
  });

  it('does not match the policy of another server', async () => {
    const { findings: all } = readPolicy(join(policies, 'everything.yaml'), await listed());
    const codes = all.map(({ code }) => code);
    expect(codes.filter((code) => code === 'dead-entry').length).toBeGreaterThan(10);
    expect(
      all.filter(({ code }) => code === 'unmapped').flatMap(({ message }) => message.split(',')).length,
    ).toBeGreaterThan(20);
  });
});

describe('names that the gate adds under settings.panel', () => {
  const catalog: PolicyCatalog = {
    tools: named('concerns', 'concerns_update'),
    prompts: named('concerns-safe', 'concerns-other', 'concerns'),
    resources: [{ uri: 'ui://concerns/panel.html' }],
  };
  const text = (panel: string) =>
    `${CONCERNS}${yaml`
    presets: { safe: { level: high } }
    patterns: { tools: { "*": {} }, prompts: { "*": {} } }
  `}settings: { panel: ${panel} }\n`;

  it('are reported where the server has them', () => {
    expect(messagesOf(text('on'), catalog, 'panel-name-taken')).toEqual(
      [
        ['tool', 'concerns'],
        ['tool', 'concerns_update'],
        ['prompt', 'concerns-safe'],
        ['prompt', 'concerns-other'],
        ['prompt', 'concerns'],
        ['resource', 'ui://concerns/panel.html'],
      ].map(
        ([noun, name]) =>
          `The ${noun} "${name}" of the server is left out, because the name is reserved for "panel". Rename the ${noun} of the server, or set "panel-prefix".`,
      ),
    );
    expect(found(text('on'), catalog)).toContain('7:13 panel-name-taken');
    expect(messagesOf(text('read-only'), catalog, 'panel-name-taken')).toHaveLength(6);
    expect(messagesOf(text('off'), catalog, 'panel-name-taken')).toEqual([]);
    expect(messagesOf(text('on'), { tools: named('other') }, 'panel-name-taken')).toEqual([]);
  });

  it('are those that the gate leaves out', () => {
    const settings = { ...NO_SETTINGS, panel: 'on' } as const;
    const own = { ...settings, panelPrefix: 'show_me' };
    const names = [
      ...Object.values(panelNames(settings)),
      ...Object.values(panelNames(own)),
      'concerns-other',
      'concernsX',
      'xconcerns',
      'ui://concerns',
      'ui://x',
    ];
    for (const kind of KINDS) {
      for (const name of names) {
        expect(isPanelName(settings, kind, name)).toBe(isReserved(settings, kind, name));
        expect(isPanelName(own, kind, name)).toBe(isReserved(own, kind, name));
      }
    }
  });
});

describe('pages of tools', () => {
  const ui = (resourceUri: string, ...visibility: string[]) => ({
    _meta: { ui: { resourceUri, ...(visibility.length === 0 ? {} : { visibility }) } },
  });
  const catalog: PolicyCatalog = {
    tools: [
      { name: 'chart', ...ui('ui://chart.html') },
      { name: 'refresh', ...ui('ui://chart.html', 'app') },
      { name: 'other', ...ui('ui://other.html', 'app') },
    ],
  };
  const text = (tools: string, resources: string) =>
    `${CONCERNS}primitives:\n  tools: { ${tools} }\n  resources: { ${resources} }\n`;

  it('are reported if the policy can hide them while the tool is shown', () => {
    const hiding = text('chart: {}, refresh: { access: write }', '"ui://chart.html": { level: high }');
    expect(messagesOf(hiding, catalog, 'ui-hidden')).toEqual([
      'The tool "refresh" of its page can be hidden while the tool "chart" is shown, so the page does not work. Give both the same values.',
      'The page "ui://chart.html" can be hidden while the tool "chart" is shown, so the page does not work. Give both the same values.',
    ]);
    expect(found(hiding, catalog)).toEqual(expect.arrayContaining(['6:23 ui-hidden', '7:16 ui-hidden']));
    const same = text('chart: { level: high }, refresh: {}', '"ui://chart.html": { level: high }');
    expect(messagesOf(same, catalog, 'ui-hidden')).toEqual([]);
    expect(messagesOf(text('chart: { level: high }', ''), catalog, 'ui-hidden')).toEqual([]);
    const allowList = `${text('chart: {}', '')}settings: { unmapped: hide }\n`;
    expect(messagesOf(allowList, catalog, 'ui-hidden')).toHaveLength(2);
    const listing = `${text('chart: {}, refresh: {}', '"ui://chart.html": {}')}settings: { unmapped: hide }\n`;
    expect(messagesOf(listing, catalog, 'ui-hidden')).toEqual([]);
    expect(messagesOf(listing, catalog, 'dead-entry')).toEqual([]);
  });
});
