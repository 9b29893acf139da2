import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/engine/evaluate.js';
import {
  mapPrimitive,
  type Primitive,
  preparePolicy,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { definitionDigest } from '../../src/core/engine/pins.js';
import { outsideEntry } from '../../src/core/engine/servers/outside-names.js';
import { writeLock } from '../../src/core/policy/compile/lock.js';
import { type PolicyCatalog, readPolicy } from '../../src/core/policy/index.js';
import { write } from './author.js';

type Files = Readonly<Record<string, string>>;

const EFFECT = 'effect: { values: [read-only, changes, destroys], match: at-most }';
const part = (text: string): string => `version: 1\n${text}`;

function report(files: Files, catalog?: PolicyCatalog, servers?: readonly string[]) {
  const folder = write(files);
  const found = readPolicy(join(folder, 'top.yaml'), catalog, undefined, servers);
  const findings = found.findings.map(
    ({ file, line, severity, code, message }) =>
      `${file.slice(folder.length + 1)}:${line} ${severity} ${code}: ${message}`,
  );
  return { ...found, findings };
}

/** What hosts with these preferences see of some primitives, each as its server lists it. */
function shown(
  files: Files,
  concerns: Readonly<Record<string, unknown>>,
  tools: Readonly<Record<string, readonly Primitive[]>>,
  servers?: readonly string[],
): string[] {
  const { compiled, findings } = report(files, undefined, servers);
  if (compiled === undefined) throw new Error(findings.join('\n'));
  const policy = preparePolicy(compiled);
  const configuration = resolveConfiguration(policy, [{ from: 'request', concerns }]);
  expect(configuration.warnings).toEqual([]);
  return Object.entries(tools).flatMap(([slug, own]) =>
    own.flatMap((tool) => {
      const outside = outsideEntry(slug, 'tools', tool);
      const { effect } = decide(mapPrimitive(policy, 'tools', outside), configuration);
      return effect === 'show' ? [String(outside.name)] : [];
    }),
  );
}

const LONG = 'a-tool-with-a-name-that-is-longer-than-forty-eight-characters';

describe('the policies of several servers, as one', () => {
  it('compare patterns with names before they are shortened', () => {
    const files = {
      'top.yaml': part('servers: { files: { policy: files.yaml } }'),
      'files.yaml': part(
        `concerns: { ${EFFECT} }\npatterns: { tools: { "*-characters": { effect: destroys } } }`,
      ),
    };
    const tools = { files: [{ name: LONG }, { name: 'short' }] };
    expect(shown(files, { effect: 'changes' }, tools)).toEqual(['files__short']);
    expect(shown(files, { effect: 'destroys' }, tools)).toHaveLength(2);
  });

  it.each([
    ['show', 'hide', ['git__a', 'git__new', 'other__new']],
    ['show', 'show', ['files__new', 'git__a', 'git__new', 'other__new']],
    ['hide', 'show', ['files__new', 'git__a']],
    ['hide', 'hide', ['git__a']],
  ])('keep what happens to unmapped primitives per server: %s for all, %s for files', (all, own, names) => {
    const files = {
      'top.yaml': part(`servers: { files: { policy: files.yaml }, git: { policy: git.yaml } }
concerns: { topic: { values: servers } }
settings: { unmapped: ${all} }`),
      'files.yaml': part(`settings: { unmapped: ${own} }`),
      'git.yaml': part(`primitives: { tools: { a: {} } }\nsettings: { unmapped: ${all} }`),
    };
    const tools = {
      files: [{ name: 'new' }],
      git: [{ name: 'a' }, { name: 'new' }],
      other: [{ name: 'new' }],
    };
    expect(shown(files, {}, tools, ['files', 'git', 'other'])).toEqual(names);
  });

  it('make one switch of a server and of what its own policy has below it', () => {
    const files = {
      'top.yaml': part(
        'servers: { files: { policy: files.yaml } }\nconcerns: { topic: { values: servers, description: Servers } }',
      ),
      'files.yaml': part(
        'concerns: { topic: { values: [other, { file: Files }], multiple: true } }\nprimitives: { tools: { write: { topic: file }, any: { topic: any } } }',
      ),
    };
    const tools = { files: [{ name: 'write' }, { name: 'any' }], 'no-policy': [{ name: 'x' }] };
    const servers = ['files', 'no-policy'];
    const { compiled } = report(files, undefined, servers);
    expect(compiled?.concerns).toEqual([
      {
        name: 'topic',
        description: 'Servers',
        values: ['files', 'files.other', 'files.file', 'no-policy'],
        valueDescriptions: { 'files.file': 'Files' },
        match: 'within',
        multiple: true,
        setBy: 'host',
      },
    ]);
    expect(shown(files, { topic: 'no-policy' }, tools, servers)).toEqual(['no-policy__x']);
    expect(shown(files, { topic: 'files.other' }, tools, servers)).toEqual(['files__any']);
    expect(shown(files, { topic: ['files'] }, tools, servers)).toEqual(['files__write', 'files__any']);
  });

  it('join presets of one name, and a preset of one server limits no other', () => {
    const { compiled, findings } = report({
      'top.yaml': part(`servers: { files: { policy: files.yaml }, git: { policy: git.yaml } }
concerns: { topic: { values: servers } }
presets: { mine: { topic: git } }`),
      'files.yaml': part(
        `concerns: { ${EFFECT}, topic: { values: [file] } }\npresets: { look: { effect: read-only, topic: file }, mine: { effect: changes } }`,
      ),
      'git.yaml': part(`concerns: { cost: { values: [low] } }\npresets: { look: { cost: low } }
defaults-for: [{ when: { client.name: cursor }, preset: look }]`),
    });
    expect(findings).toEqual([]);
    expect(compiled?.presets).toEqual({
      mine: { topic: 'git' },
      look: { effect: 'read-only', topic: ['files.file', 'git'], cost: 'low' },
    });
    expect(compiled?.defaultsFor).toEqual([{ when: { 'client.name': 'cursor' }, preset: 'look' }]);
  });

  it('take the default, the claim and other keys from the policies of servers if they agree', () => {
    const concern = (keys: string) => part(`concerns: { tier: { values: [free, pro]${keys} } }`);
    const agreed = ', set-by: operator, claim: plan, default: free';
    const files = (own: string, git: string, top = 'version: 1') => ({
      'top.yaml': `${top}\nservers: { files: { policy: files.yaml }, git: { policy: git.yaml } }`,
      'files.yaml': concern(own),
      'git.yaml': concern(git),
    });
    const [joined] = report(files(agreed, agreed, concern(''))).compiled?.concerns ?? [];
    expect(joined).toMatchObject({ setBy: 'operator', claim: 'plan', default: 'free' });
    expect(report(files(agreed, ', set-by: operator, claim: plan, default: pro')).findings).toEqual([
      'top.yaml:2 error conflicting-policies: default of tier is "pro" for git, but "free" for files. Declare tier with its default in this file.',
    ]);
    expect(report(files(', default: free', ', default: pro', concern(', default: pro'))).findings).toEqual(
      [],
    );
  });

  it('keep the pins of each server, and a definition has the digest that it has alone', () => {
    const tool = { name: 'write', description: 'Writes', _meta: { ui: { resourceUri: 'ui://page' } } };
    const outside = outsideEntry('files', 'tools', tool);
    expect(definitionDigest('tools', outside)).toBe(definitionDigest('tools', tool));
    const pins = {
      tools: { write: definitionDigest('tools', tool) },
      prompts: {},
      resources: { 'a://b': '0'.repeat(32) },
      resourceTemplates: {},
    };
    const files = {
      'top.yaml': part('servers: { files: { policy: files.yaml } }'),
      'files.yaml': 'version: 1',
      'files.lock.yaml': writeLock(pins),
    };
    expect(report(files).compiled?.pins).toMatchObject({
      tools: { files__write: definitionDigest('tools', tool) },
      resources: { 'files+a://b': '0'.repeat(32) },
    });
    const { compiled, findings } = report({ ...files, 'files.lock.yaml': 'version: 1\n' });
    expect(compiled).toBeUndefined();
    expect(findings[0]).toMatch(
      /^top\.yaml:2 error include-unreadable: .*files\.lock\.yaml cannot be read \(it is not a lock file/,
    );
  });

  it('hide what its policy does not map, also if its server declares a value in words that are mapped', () => {
    const files = {
      'top.yaml': part(
        `servers: { files: { policy: files.yaml, map: { effect: { look: read-only, edit: changes } } } }\nconcerns: { ${EFFECT} }`,
      ),
      'files.yaml': part(
        'concerns: { effect: { values: [look, edit], match: at-most } }\nprimitives: { tools: { a: {} } }\nsettings: { unmapped: hide }',
      ),
    };
    const declared = { concerns: { effect: 'edit' } };
    const tools = {
      files: [
        { name: 'a', _meta: declared },
        { name: 'b', _meta: declared },
      ],
    };
    expect(shown(files, { effect: 'changes' }, tools)).toEqual(['files__a']);
    expect(shown(files, { effect: 'read-only' }, tools)).toEqual([]);
  });

  it('read a claim as it is, also if its path ends as the name of a concern', () => {
    const when = { '===': [{ var: 'claims.a.effect' }, 'reads'] };
    const { compiled } = report({
      'top.yaml': part(`concerns: { effect: { values: [low, high], match: at-most } }
servers: { files: { policy: files.yaml, map: { effect: { reads: low, writes: high } } } }`),
      'files.yaml': part(`concerns: { effect: { values: [reads, writes], match: at-most } }
rules: [{ id: r, hide: [tools], when: ${JSON.stringify(when)} }]`),
    });
    const own = { '===': [{ var: 'primitive.server' }, 'files'] };
    const read = { '===': [{ var: ['claims.a.effect'] }, 'reads'] };
    expect(compiled?.rules.map((rule) => rule.when)).toEqual([{ and: [own, read] }]);
  });

  it('name the line in the policy of the server, and what the policy of all servers says wins', () => {
    const { compiled } = report({
      'top.yaml': part(`servers: { files: { policy: files.yaml } }
primitives: { tools: { files__write: { effect: changes } } }
rules: [{ id: mine, hide: [tools], when: { "===": [{ var: primitive.server }, files] } }]`),
      'files.yaml': part(`concerns: { ${EFFECT} }
primitives: { tools: { write: { effect: destroys }, read: {} }, resources: { "a://b": {} } }
rules: [{ id: mine, hide: [tools], when: { "===": [{ var: primitive.name }, read] } }]`),
    });
    const { primitives, rules, files = [] } = compiled ?? {};
    expect(
      primitives?.tools.map(({ name, file, line }) => [name, files[file]?.split('/').at(-1), line]),
    ).toEqual([
      ['files__read', 'files.yaml', 3],
      ['files__write', 'top.yaml', 3],
    ]);
    expect(primitives?.resources.map(({ name }) => name)).toEqual(['files+a://b']);
    expect(rules?.map(({ id, file }) => [id, files[file]?.split('/').at(-1)])).toEqual([
      ['mine', 'top.yaml'],
      ['files/mine', 'files.yaml'],
    ]);
  });
});

describe('check of a policy with several servers', () => {
  it('checks each policy against what its server lists, and says nothing about a server that is down', () => {
    const files = {
      'top.yaml': part(`servers: { files: { policy: files.yaml }, git: { policy: git.yaml } }
primitives: { tools: { files__gone: {}, git__gone: {}, other__gone: {} } }`),
      'files.yaml': part('primitives: { tools: { write: {}, lost: {} } }'),
      'git.yaml': part('primitives: { tools: { push: {} } }'),
    };
    const tools = [outsideEntry('files', 'tools', { name: 'write' })];
    const found = report(files, { tools, unavailable: { git: 'it is down' } }, ['files', 'git']);
    expect(found.findings).toEqual([
      'files.yaml:2 warning dead-entry: The server does not have a tool "lost". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
      'top.yaml:3 warning dead-entry: The server does not have a tool "files__gone". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
      'top.yaml:3 warning dead-entry: The server does not have a tool "other__gone". It decides again if the server adds it. To keep it, say why in a comment: # mcp-concerns-ignore dead-entry: reason.',
    ]);
  });

  it('says what a name is called now that an earlier version made', () => {
    const long = `long_${'x'.repeat(60)}`;
    const tools = ['repo.get', long].map((name) => outsideEntry('gh', 'tools', { name }));
    const digest = String(tools[1]?.name).slice(-8);
    const former = `${`gh__${long}`.slice(0, 39)}_${digest}`;
    const files = {
      'top.yaml': part(`servers: { gh: {} }\nprimitives: { tools: { gh__repo.get: {}, ${former}: {} } }`),
    };
    const { findings } = report(files, { tools }, ['gh']);
    expect(findings.filter((each) => each.includes('dead-entry'))).toEqual([
      `top.yaml:3 warning dead-entry: The server does not have a tool "gh__repo.get". Did you mean "${tools[0]?.name}"?`,
      `top.yaml:3 warning dead-entry: The server does not have a tool "${former}". Did you mean "${tools[1]?.name}"?`,
    ]);
  });

  const two = 'servers: { files: { policy: files.yaml } }';
  it.each<[string, Files, string[]]>([
    [
      'two keys with one slug',
      { 'top.yaml': part('servers:\n  My Server: {}\n  my-server: {}') },
      [
        'top.yaml:4 error duplicate: The servers "My Server" and "my-server" are both called my-server. Rename one of them.',
      ],
    ],
    [
      'a policy that does not exist',
      { 'top.yaml': part(two) },
      [
        expect.stringMatching(
          /^top\.yaml:2 error include-unreadable: .*files\.yaml cannot be read \(it does not exist\)/,
        ),
      ],
    ],
    [
      'an error in the policy of a server, which hides no other finding',
      {
        'top.yaml': part(`${two}\npresets: { look: { effect: low } }`),
        'files.yaml': part('concerns: {}\nrules: 1'),
      },
      [expect.stringContaining('files.yaml:3 error wrong-type')],
    ],
    [
      'the values of servers without servers',
      { 'top.yaml': part('concerns: { topic: { values: servers } }') },
      [
        'top.yaml:2 error empty: The values of topic are the servers, but no server is known. Name them under "servers", or pass --servers.',
      ],
    ],
    [
      'names in an entry that its policy does not have',
      {
        'top.yaml':
          part(`servers: { files: { policy: files.yaml, concerns: [efect, effect], map: { cost: { a: b }, effect: { x: changes, destroys: y } } } }
concerns: { ${EFFECT} }`),
        'files.yaml': part(`concerns: { ${EFFECT} }`),
      },
      [
        'top.yaml:2 error unknown-concern: "efect" is not one of effect. Did you mean "effect"?',
        'top.yaml:2 error unknown-concern: "cost" is not one of effect.',
        'top.yaml:2 error unknown-value: "x" is not one of read-only, changes, destroys.',
        'top.yaml:2 error unknown-value: "y" is not one of read-only, changes, destroys.',
      ],
    ],
    [
      'scales that differ in more than values',
      {
        'top.yaml': part(
          `${two}\nconcerns: { a: { values: [x] }, b: { values: { min: 0, max: 5 } }, c: { values: servers } }`,
        ),
        'files.yaml': part(
          'concerns: { a: { values: [x], multiple: true }, b: { values: { min: 0, max: 9 } }, c: { values: [x, y], match: at-most } }',
        ),
      },
      [
        'top.yaml:2 error scale-mismatch: a of files is a list with match: exact and multiple: true, but a list with match: exact here. Change one of them, or leave it out with servers.files.concerns.',
        'top.yaml:2 error scale-mismatch: b of files has other numbers than here. Declare b with a range for all in this file.',
        'top.yaml:2 error scale-mismatch: c of files has an order, but its values here are servers. Rename it there, or leave it out with servers.files.concerns.',
      ],
    ],
    [
      'a default and a rule that a hierarchy of servers cannot keep',
      {
        'top.yaml': part(`${two}\nconcerns: { topic: { values: servers } }`),
        'files.yaml': part(
          'concerns: { topic: { values: [a, b], default: a } }\nrules: [{ id: r, hide: [tools], when: { "===": [{ var: concerns.topic }, a] } }]',
        ),
      },
      [
        'top.yaml:2 error conflicting-policies: default of topic is "a" for files, but not set for all servers together. Declare topic with its default in this file.',
        expect.stringContaining('error within-compared: The rule "r" of files compares concerns.topic'),
      ],
    ],
    [
      'settings of one server',
      {
        'top.yaml': part(two),
        'files.yaml': part('settings: { page-size: 5, unmapped: hide, enforcement: advisory }'),
      },
      [
        'top.yaml:2 warning policy-setting: settings.page-size of files is 5, but settings of one server do not apply. Write it into settings of this file if all servers need it.',
      ],
    ],
  ])('reports %s', (_title, files, findings) => {
    expect(report(files).findings).toEqual(findings);
  });

  it('names a server that the file of the host does not have', () => {
    const files = { 'top.yaml': part('servers: { fils: {} }') };
    expect(report(files, undefined, ['files']).findings).toEqual([
      'top.yaml:2 warning unknown-server: No server is called "fils" (files). Did you mean "files"?',
    ]);
  });
});
