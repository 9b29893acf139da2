import { describe, expect, it } from 'vitest';
import { checkProposal, testsPass } from '../../../src/cli/proposals/proposal-check.js';
import { silenceServerTexts } from '../../../src/cli/proposals/server-texts.js';
import { mapPrimitive } from '../../../src/core/engine/index.js';
import { mapListed } from '../../../src/core/engine/pins.js';
import type { Policy } from '../../../src/core/engine/policy.js';
import { useName } from '../../../src/core/engine/uses/use-name.js';
import { listedIn } from '../../../src/core/engine/uses/use-primitives.js';
import { formatOwnYaml, formatYaml } from '../../../src/core/policy/language/format-yaml.js';
import { type Proposal, proposePolicy } from '../../../src/core/policy/propose/propose-policy.js';
import { OTHER } from '../../../src/core/policy/propose/topics/propose-topics.js';
import { isOnlyVerb } from '../../../src/core/policy/propose/words/verbs.js';
import { writeProposal } from '../../../src/core/policy/propose/write-proposal.js';
import { writeFirstTests } from '../../../src/core/policy/testing/first-tests.js';
import { misnamed } from './bounds.js';
import { type Catalog, factsOf, gatewayOf, readingsOf, SERVERS } from './servers.js';

const WORDS: Readonly<Record<string, string>> = {
  'read-only': 'reads',
  changes: 'changes',
  destroys: 'destroys',
};

function textOf(server: string, proposal: Proposal): string {
  const { text, parts } = writeProposal(proposal, { server, schema: './schema.json', folder: 'policy' });
  expect(parts.size).toBe(0);
  return formatOwnYaml(text);
}

/** Checks a policy as `init` does. */
function checked(text: string, catalog: Catalog) {
  const files = new Map([['policy.yaml', text]]);
  return checkProposal(silenceServerTexts(files, checkProposal(files, catalog).findings), catalog);
}

/** The effect that a policy gives each tool and each of its actions, by name. */
function effectsIn(policy: Policy, catalog: Catalog): Map<string, string> {
  const concern = policy.indexOf.get('effect') ?? -1;
  const values = policy.concerns[concern]?.values;
  const listed = listedIn(policy, { tools: catalog.tools });
  return new Map(
    listed.map(({ name, primitive }) => {
      const offer = mapListed(policy, 'tools', primitive).offers[concern];
      // A tool whose actions have effects has none.
      if (offer === undefined) return [name, 'any'];
      const [ordinal = -1] = offer.offered;
      const effect = values === undefined || 'min' in values ? undefined : values[ordinal];
      return [name, WORDS[effect ?? ''] ?? 'none'];
    }),
  );
}

interface Measured {
  readonly tools: number;
  readonly wrong: readonly string[];
  readonly unsure: readonly string[];
  readonly others: readonly string[];
}

function measure(server: string): Measured {
  const catalog = factsOf(server);
  const proposal = proposePolicy(catalog);
  const { policy } = checked(textOf(server, proposal), catalog);
  const effects = effectsIn(policy, catalog);
  const readings = readingsOf(server);
  expect([...readings.keys()].sort()).toEqual([...effects.keys()].sort());
  const unsure = proposal.tools.flatMap(({ name, doubt, actions }) => [
    ...(doubt === undefined ? [] : [name]),
    ...(actions?.unknown ?? []).map((value) => useName(name, actions?.argument ?? '', value)),
  ]);
  const wrong = [...effects].flatMap(([name, effect]) =>
    unsure.includes(name) || readings.get(name)?.effects.includes(effect) ? [] : [`${server} ${name}`],
  );
  const others = proposal.tools.filter(({ topics }) => topics !== 'any' && topics.includes(OTHER));
  return { tools: catalog.tools.length, wrong, unsure, others: others.map(({ name }) => name) };
}

describe.each(SERVERS)('the proposal for %s', (server) => {
  const catalog = factsOf(server);
  const proposal = proposePolicy(catalog);
  const text = textOf(server, proposal);

  it('is the one that was read', async () => {
    await expect(text).toMatchFileSnapshot(`golden/${server}.yaml`);
  });

  it('has no findings, is formatted, and passes the tests that init writes', () => {
    const { policy, findings } = checked(text, catalog);
    expect(findings).toEqual([]);
    expect(formatYaml(text)).toBe(text);
    const files = { schema: './test.schema.json', policy: 'policy.yaml', catalog: 'c.json' };
    const tests = formatOwnYaml(writeFirstTests(policy, catalog, files));
    expect(testsPass(tests, 'policy.test.yaml', policy, catalog)).toBe(true);
  });

  it('has no verb as a topic, and only topics whose word their tools have', () => {
    // "search" is a noun in stop_search and list_searches.
    const verbs = proposal.topics.filter((topic) => isOnlyVerb(topic) && topic !== 'search');
    expect(verbs).toEqual([]);
    expect(misnamed(proposal, catalog.tools)).toEqual([]);
  });

  it('shows a new tool without annotations only to hosts that allow everything', () => {
    const { policy } = checked(text, catalog);
    const later: Catalog = { tools: [{ name: 'reticulate_splines' }] };
    expect([...effectsIn(policy, later).values()]).toEqual(['destroys']);
  });
});

describe('the effects of all servers', () => {
  const measured = SERVERS.map(measure);
  const tools = measured.reduce((sum, each) => sum + each.tools, 0);

  it('of tools and actions are as a person read them, or stricter where the server declares it', () => {
    expect(tools).toBeGreaterThan(400);
    const wrong = measured.flatMap((each) => each.wrong);
    // Both declare what changes something as destructive, and no verb says which action of a tool is meant.
    const coolify = [
      ...['control', 'deploy', 'deployment(action=cancel)', 'system(action=enable_api)'],
      ...['system(action=disable_api)', 'tags(action=attach)', 'tags(action=detach)'],
      ...['restart_project_apps', 'stop_all_apps', 'redeploy_project'],
    ];
    const notion = ['API-post-page', 'API-create-a-comment', 'API-create-a-data-source', 'API-move-page'];
    expect(wrong).toEqual([
      ...coolify.map((name) => `coolify ${name}`),
      ...notion.map((name) => `notion ${name}`),
    ]);
  });

  it('are certain, except for at most 3 in 100 tools', () => {
    expect(measured.flatMap(({ unsure }) => unsure).length).toBeLessThan(0.03 * tools);
  });
});

describe.each(['__', '.', '-', '/'])('a gateway whose names have the separator %s', (separator) => {
  const servers = ['filesystem', 'memory', 'slack', 'github-old', 'notion', 'git'];
  const catalog = gatewayOf(servers, separator);
  const proposal = proposePolicy(catalog);

  it('has a topic for each server, by pattern, and divides what is large', () => {
    const names = servers.map((server) => server.replace('-', '_'));
    const topics = names.filter((name) => proposal.topics.includes(name));
    expect(misnamed(proposal, catalog.tools)).toEqual([]);
    expect(new Set(proposal.topics.map((topic) => topic.split('.')[0]))).toEqual(new Set(names));
    // A server with many tools has topics below its own, so no pattern can tell the topic of a new tool.
    const whole = topics.filter((topic) => !proposal.topics.some((each) => each.startsWith(`${topic}.`)));
    expect(proposal.patterns).toEqual(whole.map((topic) => ({ pattern: `${topic}${separator}*`, topic })));
    expect(proposal.topicsFrom).toBe('prefixes');
  });

  it('gives each tool the effect that it has without the gateway', () => {
    const alone = servers.flatMap((server) =>
      proposePolicy(factsOf(server)).tools.map(({ effect }) => effect),
    );
    expect(proposal.tools.map(({ effect }) => effect)).toEqual(alone);
  });

  it('has no findings, and gives new tools of a server its topic', () => {
    const text = textOf('gateway', proposal);
    const { policy, findings } = checked(text, catalog);
    // No value of a policy can fix a name that APIs of models refuse.
    const isRefused = separator === '.' || separator === '/';
    expect(findings.map(({ code }) => code)).toEqual(isRefused ? ['refused-by-hosts'] : []);
    const topic = policy.indexOf.get('topic') ?? -1;
    const later = mapPrimitive(policy, 'tools', { name: `slack${separator}new_thing` });
    expect(later.offers[topic]?.offered).toEqual([policy.ordinals[topic]?.get('slack')]);
  });
});

describe('a server with thousands of tools', () => {
  const verbs = ['get', 'list', 'create', 'update', 'delete', 'archive', 'send', 'export'];
  const nouns = ['invoice', 'customer', 'order', 'ticket', 'report', 'user', 'project', 'file'];
  const named = (length: number, prefix: (index: number) => string): Catalog => ({
    tools: Array.from({ length }, (_each, index) => ({
      name: `${prefix(index)}${verbs[index % 8]}_${nouns[Math.floor(index / 8) % 8]}_${index}`,
    })),
  });

  it.each([
    ['10,000 behind a gateway', named(10_000, (index) => `server${index % 40}__`)],
    ['4,000 without prefixes', named(4_000, () => '')],
  ])('%s, gets a policy in several files, each within the limit, without findings', (_title, catalog) => {
    const { text, parts } = writeProposal(proposePolicy(catalog), {
      server: 'large',
      schema: './schema.json',
      folder: 'policy',
    });
    expect(parts.size).toBeGreaterThan(1);
    const files = new Map([['policy.yaml', formatOwnYaml(text)], ...parts]);
    const silenced = silenceServerTexts(files, checkProposal(files, catalog).findings);
    const { policy, findings } = checkProposal(silenced, catalog);
    expect(findings).toEqual([]);
    for (const [path, part] of parts) {
      expect([path, Buffer.byteLength(part) <= 256 * 1024]).toEqual([path, true]);
    }
    expect([...new Set(effectsIn(policy, catalog).values())].sort()).toEqual([
      'changes',
      'destroys',
      'reads',
    ]);
  });
});
