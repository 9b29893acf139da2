import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outsideEntry } from '../../src/core/engine/servers/outside-names.js';
import { findRefused } from '../../src/core/policy/check/check-definitions.js';
import { type PolicyCatalog, readPolicy } from '../../src/core/policy/index.js';
import { growth, LINEAR } from '../growth.js';
import { write, yaml } from './author.js';

const POLICY = 'version: 1\npatterns: { tools: { "*": {} }, prompts: { "*": {} }, resources: { "*": {} } }\n';
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const report = (catalog: PolicyCatalog, text = POLICY) =>
  readPolicy(join(write({ 'policy.yaml': text }), 'policy.yaml'), catalog);
const messages = (catalog: PolicyCatalog, code: string, text = POLICY) =>
  report(catalog, text).findings.flatMap((each) => (each.code === code ? [each.message] : []));

describe('definitions that do not fit the protocol', () => {
  const catalog: PolicyCatalog = {
    tools: [
      tool('good'),
      { name: 'no-schema' },
      tool('hints', { annotations: { readOnlyHint: null } }),
      tool('typed', { outputSchema: { type: 'array' } }),
    ],
    prompts: [{ name: 'ask', arguments: [{ description: 'no name' }] } as object as { name: string }],
    resources: [{ uri: 'x://a', name: 'a', size: 'big' } as object as { uri: string }],
  };

  it('are one error of all kinds, each with a pointer', () => {
    expect(messages(catalog, 'invalid-definition')).toEqual([
      expect.stringContaining(
        'no-schema (/inputSchema), hints (/annotations/readOnlyHint), typed (/outputSchema/type), ask (/arguments/0/name), x://a (/size). ',
      ),
    ]);
  });

  it('leave the policy usable, because it is right', () => {
    expect(report(catalog).compiled).toBeDefined();
  });

  it('are not reported if no configuration shows them', () => {
    const rule = yaml`
      rules:
        - { id: broken, hide: [tools], when: { in: [{ var: primitive.name }, [no-schema, hints, typed]] } }
    `;
    const tools = { tools: catalog.tools };
    expect(messages(tools, 'invalid-definition', POLICY + rule)).toEqual([]);
    expect(messages(tools, 'invalid-definition')).toHaveLength(1);
  });

  it('are at most ten names, and the number of the others', () => {
    const tools = [tool('good'), ...Array.from({ length: 13 }, (_, index) => ({ name: `bad-${index}` }))];
    const [message] = messages({ tools }, 'invalid-definition');
    expect(message).toContain('bad-9 (/inputSchema) and 3 more.');
    expect(message).not.toContain('bad-10');
  });

  it('are unknown in a catalog of names, and in one of facts', () => {
    expect(messages({ tools: [{ name: 'a' }], resources: [{ uri: 'x://a' }] }, 'invalid-definition')).toEqual(
      [],
    );
    expect(messages({ ...catalog, encoding: 'o200k_base' }, 'invalid-definition')).toEqual([]);
  });

  it('of several servers are those that the endpoint leaves out', () => {
    const leftOut = { bad: ['x: /annotations/readOnlyHint', 'the pages after entry 20: too-slow'] };
    const tools = [outsideEntry('good', 'tools', tool('a'))] as object as { name: string }[];
    const [message] = messages({ tools, leftOut }, 'invalid-definition');
    expect(message).toContain(': bad: x (/annotations/readOnlyHint). Clients');
  });

  it('of a server with a policy of its own are said of that policy, once', () => {
    const files = write({
      'policy.yaml': 'version: 1\nservers: { bad: { policy: bad.yaml }, good: { policy: good.yaml } }\n',
      'bad.yaml': POLICY,
      'good.yaml': POLICY,
    });
    const tools = ['bad', 'good'].map((slug) => outsideEntry(slug, 'tools', tool('a.b')));
    const catalog = { tools: tools as object as { name: string }[], leftOut: { bad: ['x: /name'] } };
    const { findings, compiled } = readPolicy(join(files, 'policy.yaml'), catalog);
    const found = findings.filter(({ code }) => code === 'invalid-definition');
    expect(found.map(({ file }) => file.split('/').at(-1))).toEqual(['bad.yaml']);
    expect(findings.filter(({ code }) => code === 'refused-by-hosts')).toEqual([]);
    // One server must not cost the others their policies.
    expect(compiled).toBeDefined();
  });
});

describe('tools that hosts refuse', () => {
  it.each(['calendar.read', 'a/b', 'two words', '天气', 'tool$', 'x'.repeat(50)])(
    'are those with the name %s',
    (name) => {
      const [message] = messages({ tools: [tool('ok_name-1'), tool(name)] }, 'refused-by-hosts');
      expect(message).toContain(`(mcp__concerns__): ${name}. `);
      expect(message).toContain('Claude Desktop');
    },
  );

  it('are not those whose name fits with the prefix of a host', () => {
    const tools = [tool('x'.repeat(49)), tool('A_-9')];
    expect(messages({ tools }, 'refused-by-hosts')).toEqual([]);
  });

  it('are those with a union at the top of their schema', () => {
    const union = (key: string) =>
      tool(key, { inputSchema: { type: 'object', [key]: [{ required: ['a'] }] } });
    const within = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }] } } };
    const tools = [...['anyOf', 'oneOf', 'allOf'].map(union), tool('within', { inputSchema: within })];
    expect(messages({ tools }, 'refused-by-hosts')).toEqual([
      expect.stringContaining('as these have: anyOf, oneOf, allOf. '),
    ]);
  });

  it('are those with an enum without values, wherever it is in a schema', () => {
    const none = { enum: [] };
    const schemas = {
      parameter: { properties: { a: none } },
      items: { properties: { a: { type: 'array', items: none } } },
      definition: { $defs: { a: none } },
      union: { properties: { a: { anyOf: [{ type: 'string' }, none] } } },
      // Neither a name nor a value is a schema.
      named: { properties: { enum: { type: 'string' } } },
      value: { properties: { a: { default: none, const: none, examples: [none], enum: [none] } } },
      filled: { properties: { a: { enum: ['b'] } } },
    };
    const tools = Object.entries(schemas).map(([name, schema]) =>
      tool(name, { inputSchema: { type: 'object', ...schema } }),
    );
    expect(messages({ tools }, 'refused-by-hosts')).toEqual([
      expect.stringContaining('the inputSchema of these has: parameter, items, definition, union. '),
    ]);
  });

  it('are a warning that a comment silences', () => {
    const text = `# mcp-concerns-ignore refused-by-hosts: our host takes any name\nversion: 1\n`;
    const { findings, silenced: found } = report({ tools: [tool('a.b')] }, text);
    expect(findings.map(({ code }) => code)).toEqual(['unmapped']);
    // A catalog of facts does not tell whether the comment is needed.
    const facts = report(
      { tools: [{ ...tool('a.b'), tokens: 1 } as { name: string }], encoding: 'o200k_base' },
      text,
    );
    expect(facts.findings.map(({ code }) => code)).toEqual(['unmapped']);
    expect(found.map(({ severity }) => severity)).toEqual(['warning']);
  });

  it('are found in a schema that nests deeply', () => {
    let deep: object = { enum: [] };
    for (let depth = 0; depth < 100_000; depth++) deep = { items: deep };
    const tools = [tool('deep', { inputSchema: { type: 'object', properties: { deep } } })];
    expect(findRefused({ tools }, () => false).warnings).toHaveLength(1);
  });

  it('are found in linear time', async () => {
    const find = (size: number) => {
      const schema = { type: 'object', properties: { a: { anyOf: [{ enum: ['b'] }] } } };
      const tools = Array.from({ length: size }, (_, index) => tool(`t-${index}`, { inputSchema: schema }));
      return () => findRefused({ tools }, () => false);
    };
    expect(await growth(find, 2000)).toBeLessThan(LINEAR);
  });
});
