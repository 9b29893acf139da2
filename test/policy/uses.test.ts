import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/core/analysis/analyze.js';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import type { Primitive } from '../../src/core/engine/mapping.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { bindCatalog, select } from '../../src/core/engine/select.js';
import { outsideEntry } from '../../src/core/engine/servers/outside-names.js';
import { decideCall } from '../../src/core/gate/enforce/calls/call-arguments.js';
import { parsePolicy } from '../../src/core/policy/compile/parse.js';
import { newlyVisible } from '../../src/core/policy/diff/newly-visible.js';
import { readPolicy } from '../../src/core/policy/index.js';
import { policyOf, write } from './author.js';

const tool = (name: string, properties: object, required: readonly string[] = []): Primitive => ({
  name,
  inputSchema: { type: 'object', properties, required },
});
const DESK = [
  {
    ...tool(
      'tickets',
      { op: { type: 'string', enum: ['search', 'read', 'close'] }, project: { type: 'string' } },
      ['op', 'project'],
    ),
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
  tool('deploy', { environment: { type: 'string', enum: ['production', 'staging', 'test'] } }),
  tool('rollback', { environment: { type: 'string' } }),
  tool('manual', { lang: { type: 'string' }, query: { type: 'string' } }, ['query']),
];
const findingsOf = (text: string, tools: readonly Primitive[] = DESK) =>
  readPolicy(join(write({ 'policy.yaml': `version: 1\n${text}` }), 'policy.yaml'), { tools }).findings;
const codesOf = (text: string, tools?: readonly Primitive[]) =>
  findingsOf(text, tools).map(({ code }) => code);

const EFFECTS = 'concerns: { effect: { values: [read-only, changes], match: at-most } }';

describe('what a person wants to say', () => {
  const ask = (text: string, claims: object, name: string, args: object) => {
    const policy = policyOf(`version: 1\n${text}`);
    const configuration = resolveConfiguration(policy, [], { claims: new Map(Object.entries(claims)) });
    const bound = bindCatalog(policy, 'tools', DESK);
    const isListed = select(bound, configuration).kept.some((each) => each.name === name);
    const decided = decideCall({ tools: bound, servers: new Set() }, name, args, configuration);
    return isListed && decided?.effect !== 'refuse';
  };
  const NOT_PRODUCTION = `
patterns: { tools: { "*": {} } }
rules:
  - { id: not-production, hide: [tools], when: { "!": { in: [{ var: arguments.environment }, [staging, test]] } } }
settings: { enforcement: enforce }
`;
  const MY_PROJECT = `
primitives: { tools: { tickets: {}, deploy: {}, rollback: {}, manual: {} } }
bind: { project: { var: claims.project } }
settings: { enforcement: enforce, unmapped: hide }
`;
  const GERMAN = `
concerns: { language: { values: [de, en], multiple: true, default: de } }
patterns: { tools: { "*": {}, "*(lang=*)": { language: en }, "*(lang=de)": { language: de } } }
settings: { defaults: always }
`;

  it.each([
    ['not production', NOT_PRODUCTION],
    ['only my project', MY_PROJECT],
    ['only German', GERMAN],
  ])('is a policy without findings: %s', (_what, text) => {
    expect(findingsOf(text)).toEqual([]);
  });

  it.each([
    [NOT_PRODUCTION, {}, 'deploy', { environment: 'staging' }, true],
    [NOT_PRODUCTION, {}, 'deploy', { environment: 'production' }, false],
    [NOT_PRODUCTION, {}, 'deploy', {}, false],
    [NOT_PRODUCTION, {}, 'rollback', { environment: 'PRODUCTION' }, false],
    [MY_PROJECT, { project: 'acme' }, 'tickets', { op: 'read' }, true],
    [MY_PROJECT, { project: 'acme' }, 'tickets', { op: 'read', project: 'other' }, false],
    [MY_PROJECT, { project: 'acme' }, 'deploy', { project: 'other' }, false],
    [MY_PROJECT, {}, 'tickets', { op: 'read', project: 'acme' }, false],
  ])('decides calls: %#', (text, claims, name, args, expected) => {
    expect(ask(text, claims, name, args)).toBe(expected);
  });
});

describe('the check of uses', () => {
  it.each([
    [
      'tickets(op=remove)',
      'No call that "tickets(op=remove)" names can send this value of op. Use one that the server takes (search, read, close).',
    ],
    ['tickets(action=read)', 'No tool that "tickets(action=read)" names has the argument action.'],
    ['ticket(op=read)', 'The server does not have a tool "ticket". Did you mean "tickets"?'],
    [
      'tickets(op=)',
      'No call that "tickets(op=)" names can send this value of op. Use one that the server takes (search, read, close).',
    ],
  ])('reports a name that is about no call: %s', (name, message) => {
    const found = findingsOf(`${EFFECTS}\nprimitives: { tools: { "${name}": { effect: changes } } }`);
    expect(found.filter(({ code }) => code === 'dead-entry').map((each) => each.message)).toEqual([message]);
  });

  it.each(['tickets(op=read)', 'tickets(project)', 'deploy(environment=)', 'rollback(environment=any text)'])(
    'accepts a name that is about calls: %s',
    (name) => {
      expect(codesOf(`${EFFECTS}\nprimitives: { tools: { "${name}": { effect: changes } } }`)).not.toContain(
        'dead-entry',
      );
    },
  );

  it('names the values that no name is about', () => {
    const [found] = findingsOf(`${EFFECTS}
primitives: { tools: { tickets: {}, deploy: {}, rollback: {}, manual: {}, tickets(op=read): { effect: read-only } } }`).filter(
      ({ code }) => code === 'unmapped',
    );
    expect(found?.message).toContain('2 uses of tools: "tickets(op=search)", "tickets(op=close)"');
  });

  it('lets an action of a tool that changes something be one that reads', () => {
    const text = `${EFFECTS}\nprimitives: { tools: { tickets: {}, tickets(op=read): { effect: read-only } } }`;
    expect(codesOf(text)).not.toContain('contradicts-annotations');
  });

  it('refuses a catalog without schemas', () => {
    const file = write({
      'policy.yaml': `version: 1\n${EFFECTS}\nprimitives: { tools: { tickets(op=read): {} } }\n`,
    });
    const facts = { tools: [{ name: 'tickets' }], encoding: 'o200k_base' };
    const { findings } = readPolicy(join(file, 'policy.yaml'), facts);
    expect(findings.map(({ code }) => code)).toContain('catalog-without-texts');
  });
});

describe('a finding says what to do', () => {
  const messageOf = (text: string, code: string, tools?: readonly Primitive[]) =>
    findingsOf(text, tools).find((each) => each.code === code)?.message;
  const ruleOf = (path: string) =>
    `rules: [{ id: r, hide: [tools], when: { "===": [{ var: ${path} }, close] } }]`;

  it('about an argument that no tool has', () => {
    expect(messageOf(ruleOf('arguments.opp'), 'rule-never-fires')).toBe(
      'The rule "r" never fires, because no tool that the server lists has the argument opp. Did you mean "op"?',
    );
  });

  it('about a path of another product', () => {
    expect(messageOf(ruleOf('call.arguments.op'), 'unknown-path')).toBe(
      '"call.arguments.op" is not a path that a rule can read. Did you mean "arguments.op"?',
    );
  });

  it('about uses that nothing maps, and calls them uses', () => {
    const text = 'primitives: { tools: { tickets: {}, tickets(op=read): {} } }';
    expect(messageOf(text, 'unmapped', DESK.slice(0, 1))).toMatch(
      /^The policy does not map \d uses of tools: "tickets\(op=/,
    );
  });
});

describe('the analysis of uses', () => {
  const RULE = 'rules: [{ id: no-close, hide: [tools], when: { "===": [{ var: arguments.op }, close] } }]';

  it('knows that a rule about an argument fires, and hides no tool', () => {
    const { rules, neverVisible } = analyze(policyOf(`version: 1\n${RULE}`), { tools: DESK });
    expect(rules).toEqual([{ id: 'no-close', fires: 'sometimes' }]);
    expect(neverVisible).toEqual([]);
  });

  it('knows that a rule is about no argument of the server', () => {
    const policy = policyOf(`version: 1\n${RULE.replace('arguments.op', 'arguments.none')}`);
    expect(analyze(policy, { tools: DESK }).rules).toEqual([{ id: 'no-close', fires: 'never' }]);
  });

  it('knows that a tool is never visible if no use of an argument is', () => {
    const text = `concerns: { effect: { values: [read-only, changes], match: at-most, default: read-only } }
patterns: { tools: { "tickets(op=*)": { effect: changes } } }
settings: { defaults: always }
rules: [{ id: none, hide: [tools], when: { in: [{ var: arguments.op }, [search, read, close]] } }]`;
    const { neverVisible } = analyze(policyOf(`version: 1\n${text}`), { tools: DESK });
    expect(neverVisible).toEqual([{ kind: 'tools', name: 'tickets' }]);
  });

  it('reports a use that fewer scopes show', () => {
    const text = `rules:
  - { id: less, hide: [tools], when: { and: [{ in: [guest, { var: caller.scopes }] }, { "===": [{ var: arguments.op }, close] }] } }
settings: { enforcement: enforce }`;
    const [found] = findingsOf(text).filter(({ code }) => code === 'less-shows-more');
    expect(found?.message).toContain('tickets(op=close)');
  });
});

describe('what a change of a policy opens', () => {
  const compiled = (text: string) => {
    const { compiled: found } = parsePolicy(new Map([['policy.yaml', `version: 1\n${text}`]]));
    if (found === undefined) throw new Error(text);
    return found;
  };
  const opened = (before: string, after: string) =>
    newlyVisible(compiled(before), compiled(after), { tools: DESK }).map(({ name, like }) => name ?? like);
  const closed = `${EFFECTS}\npatterns: { tools: { "*(op=*)": { effect: changes } } }`;

  it('is a use that was hidden', () => {
    expect(
      opened(closed, `${closed}\nprimitives: { tools: { tickets(op=read): { effect: read-only } } }`),
    ).toContain('tickets(op=read)');
    expect(opened(closed, closed)).toEqual([]);
  });

  it('is a value that a server may add', () => {
    expect(
      opened(closed, closed.replace('"*(op=*)": { effect: changes }', '"*(op=*)": { effect: read-only }')),
    ).toContain('*(op=*)');
  });

  it('is an argument that is not bound any more', () => {
    const settings = 'settings: { enforcement: enforce }';
    const bound = `bind: { project: { var: claims.project } }\n${settings}`;
    expect(opened(bound, settings)).toContain('tickets(project)');
    expect(opened(settings, bound)).toEqual([]);
  });
});

describe('several servers', () => {
  const part = `version: 1
${EFFECTS}
primitives: { tools: { tickets: {}, tickets(op=close): { effect: changes } } }
present: { tools: { tickets: { title: Tickets }, tickets(op=read): { annotations: { readOnlyHint: true } } } }
bind: { project: { var: claims.project } }
rules: [{ id: no-search, hide: [tools], when: { "===": [{ var: arguments.op }, search] } }]
settings: { enforcement: enforce }
`;
  const top = `version: 1
servers: { desk: { policy: desk.yaml }, other: { policy: other.yaml } }
${EFFECTS}
settings: { enforcement: enforce }
`;
  const composed = () => {
    const files = {
      'top.yaml': top,
      'desk.yaml': part,
      'other.yaml': 'version: 1\nsettings: { enforcement: enforce }\n',
    };
    const { compiled, findings } = parsePolicy(new Map(Object.entries(files)));
    if (compiled === undefined) throw new Error(findings.map(({ message }) => message).join());
    return compiled;
  };

  it('keep names of uses, presented hints, rules and bound arguments', () => {
    const { primitives, bind, present } = composed();
    expect(primitives.tools.map(({ name }) => name)).toEqual(['desk__tickets', 'desk__tickets(op=close)']);
    expect(bind?.map(({ name }) => name)).toEqual(['desk__*(project)']);
    expect(Object.keys(present ?? {})).toEqual(['desk__tickets', 'desk__tickets(op=read)']);
  });

  it('bind the tools of their own server', () => {
    const policy = preparePolicy(composed());
    const tools = ['desk', 'other'].map((slug) => outsideEntry(slug, 'tools', DESK[0] ?? {}) as Primitive);
    const bound = bindCatalog(policy, 'tools', tools, new Set(['desk', 'other']));
    const configuration = resolveConfiguration(policy, [], { claims: new Map([['project', 'acme']]) });
    const call = (name: string, args: object) =>
      decideCall({ tools: bound, servers: bound.servers }, name, args, configuration);
    expect(call('desk__tickets', { op: 'read' })).toMatchObject({ args: { op: 'read', project: 'acme' } });
    expect(call('desk__tickets', { op: 'read', project: 'other' })?.effect).toBe('refuse');
    expect(call('desk__tickets', { op: 'search' })?.effect).toBe('refuse');
    expect(call('other__tickets', { op: 'search', project: 'other' })).toBeUndefined();
  });

  it('leave the values that all parts give which bind one argument', () => {
    const both = part.replace('bind: {', 'bind: { "*(project)": { var: claims.projects },');
    const policyWith = (text: string, topText: string) => {
      const files = {
        'top.yaml': topText,
        'desk.yaml': text,
        'other.yaml': 'version: 1\nsettings: { enforcement: enforce }\n',
      };
      const { compiled } = parsePolicy(new Map(Object.entries(files)));
      return compiled?.bind?.map(({ name }) => name);
    };
    expect(policyWith(both, top)).toEqual(['desk__*(project)', 'desk__*(project)']);
    expect(policyWith(part, `${top}bind: { "desk__*(project)": { var: claims.projects } }\n`)).toEqual([
      'desk__*(project)',
      'desk__*(project)',
    ]);
  });
});
