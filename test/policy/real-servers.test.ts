import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { mapPrimitive } from '../../src/core/engine/index.js';
import { loadPolicy, readPolicy } from '../../src/core/policy/index.js';
import { shown } from './author.js';

interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly tokens?: number;
}

const policies = join(import.meta.dirname, '../../policies');
/** The definitions that the servers list. They are not part of this repository. */
const catalogs = join(import.meta.dirname, '../../../shared/catalogs');

const servers = [
  {
    name: 'github',
    tools: 117,
    // Found by reading: one of their methods removes data, although their annotations do not say so.
    destroys: ['issue_dependency_write', 'pull_request_review_write', 'sub_issue_write'],
    writes: [],
    // These tools belong to every area.
    everywhere: [],
    unsolicited: ['delete_repository'],
    warnings: [],
  },
  {
    name: 'gitlab',
    tools: 217,
    // The server has no annotations, so all of these were found by reading.
    destroys: [
      'convert_work_item_type',
      'delete_branch',
      'delete_draft_note',
      'delete_group_milestone',
      'delete_group_variable',
      'delete_group_wiki_page',
      'delete_issue',
      'delete_issue_emoji_reaction',
      'delete_issue_link',
      'delete_issue_note_emoji_reaction',
      'delete_label',
      'delete_merge_request_discussion_note',
      'delete_merge_request_emoji_reaction',
      'delete_merge_request_note',
      'delete_merge_request_note_emoji_reaction',
      'delete_milestone',
      'delete_project_variable',
      'delete_release',
      'delete_tag',
      'delete_wiki_page',
      'delete_work_item_emoji_reaction',
      'delete_work_item_note_emoji_reaction',
      'execute_graphql',
      'merge_merge_request',
      'promote_milestone',
      'purge_dependency_proxy_cache',
      'unprotect_branch',
      'update_work_item',
    ],
    // By their names these tools only read, but they write files on the disk of the server or change the session.
    writes: ['discover_tools', 'download_attachment', 'download_job_artifacts'],
    everywhere: ['discover_tools', 'health_check'],
    unsolicited: ['execute_graphql'],
    // Some combination of security preferences hides everything.
    warnings: ['empty-catalog'],
  },
] as const;

describe.each(servers)('the policy for $name', (server) => {
  const file = join(policies, `${server.name}.yaml`);
  const policy = loadPolicy(file);
  const facts = factsOf(server.name);
  const { tools } = facts;
  const names = tools.map(({ name }) => name);
  const destroys = [
    ...server.destroys,
    ...tools.filter(({ annotations }) => annotations?.destructiveHint === true).map(({ name }) => name),
  ];

  it('fits the catalog of facts', () => {
    const { findings } = readPolicy(file, facts);
    expect(findings.map(({ code }) => code)).toEqual(server.warnings);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('gives every tool an effect, and an area unless the tool belongs to every area', () => {
    const lacking = (concern: string) =>
      tools.flatMap((tool) => {
        const { offers } = mapPrimitive(policy, 'tools', tool);
        return offers[policy.indexOf.get(concern) ?? -1] === undefined ? [tool.name] : [];
      });
    expect(lacking('effect')).toEqual([]);
    expect(lacking('area').sort()).toEqual(server.everywhere);
  });

  it('never shows tools that write for read-only, nor tools that destroy for writes', () => {
    const writes = [
      ...server.writes,
      ...destroys,
      ...tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name),
    ];
    expect(names).toEqual(expect.arrayContaining(writes));
    for (const preset of [undefined, ...policy.presets.keys()]) {
      const base = preset === undefined ? {} : { preset };
      const reading = shown(policy, tools, { ...base, effect: 'read-only' });
      const writing = shown(policy, tools, { ...base, effect: 'changes' });
      expect(reading.length).toBeGreaterThan(0);
      expect(reading.filter((name) => writes.includes(name))).toEqual([]);
      expect(writing.filter((name) => destroys.includes(name))).toEqual([]);
    }
  });

  it('shows some tools for every value, and fewer than half of them for every preset', () => {
    const preferences = [
      ...[...policy.presets.keys()].map((preset) => ({ preset })),
      ...policy.concerns.flatMap(({ name, values }) =>
        Array.isArray(values) ? values.map((value) => ({ [name]: value })) : [],
      ),
    ];
    for (const concerns of preferences) expect(shown(policy, tools, concerns).length).toBeGreaterThan(0);
    for (const preset of policy.presets.keys()) {
      expect(shown(policy, tools, { preset }).length).toBeLessThan(tools.length / 2);
    }
  });

  it('hides only the tools of its rule from hosts without preferences', () => {
    const all = shown(policy, tools, undefined);
    expect(names.filter((name) => !all.includes(name))).toEqual(server.unsolicited);
    expect(shown(policy, tools, { effect: 'destroys' })).toEqual(names);
  });

  it('hides an unmapped tool from hosts that limit the effect or the autonomy', () => {
    const later = [{ name: 'reticulate_splines' }];
    expect(shown(policy, later, undefined)).toEqual(['reticulate_splines']);
    expect(shown(policy, later, { effect: 'read-only' })).toEqual([]);
    expect(shown(policy, later, { autonomy: 'prepare' })).toEqual([]);
  });
});

describe.each(servers)('the facts about $name', (server) => {
  const { tools } = factsOf(server.name);

  it('are only names, annotations and numbers', () => {
    expect(tools).toHaveLength(server.tools);
    const keys = tools.flatMap((tool) => Object.keys(tool));
    expect(
      [...new Set(keys)].filter((key) => !['name', 'title', 'annotations', 'tokens'].includes(key)),
    ).toEqual([]);
    const hints = tools.flatMap(({ annotations = {} }) => Object.entries(annotations));
    expect(hints.filter(([name, value]) => name !== 'title' && typeof value !== 'boolean')).toEqual([]);
  });
});

const present = existsSync(catalogs);
const reason = present ? '' : ' (skipped: ../shared/catalogs does not exist)';
describe.skipIf(!present).each(servers)(`the real definitions of $name${reason}`, (server) => {
  const path = join(catalogs, `${server.name}.json`);
  const read = (): { tools: Tool[] } => JSON.parse(readFileSync(path, 'utf8'));

  it('fit the policy', () => {
    const real = read();
    const { findings } = readPolicy(join(policies, `${server.name}.yaml`), real);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    // The descriptions of the server name other tools, which the policy cannot change.
    const codes = findings.map(({ code }) => code).filter((code) => code !== 'names-hidden');
    expect(codes).toEqual(server.warnings);
  });

  it('match the facts, in the same order', () => {
    const facts = read().tools.map((tool): Tool => {
      const { name, title, annotations } = tool;
      const tokens = countTokens(JSON.stringify(tool), { disallowedSpecial: new Set() });
      return {
        name,
        ...(title === undefined ? {} : { title }),
        ...(annotations === undefined ? {} : { annotations }),
        tokens,
      };
    });
    expect(factsOf(server.name).tools).toEqual(facts);
  });

  it('do not share a sentence with the files of this project', () => {
    const { tools, ...rest } = factsOf(server.name);
    // Titles are annotations, which are facts. A description can start with the title.
    const untitled = tools.map(({ annotations, ...tool }) => ({
      ...tool,
      annotations: { ...annotations, title: '' },
    }));
    const own = [
      JSON.stringify({ ...rest, tools: untitled }),
      ...['.yaml', '.test.yaml'].map((end) => readFileSync(join(policies, server.name + end), 'utf8')),
    ].map(wordsOf);
    const sentences = descriptionsIn(read().tools)
      .flatMap((text) => text.split(/[.;:(\n]/))
      .map(wordsOf)
      .filter((words) => words.split(' ').length > 3);
    expect(sentences.length).toBeGreaterThan(100);
    expect(sentences.filter((words) => own.some((text) => text.includes(words)))).toEqual([]);
  });
});

function factsOf(name: string): { readonly tools: readonly Tool[] } {
  return JSON.parse(readFileSync(join(policies, `${name}.catalog.json`), 'utf8'));
}

/** All texts under a key `description`, also of parameters. */
function descriptionsIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) =>
    key === 'description' && typeof value === 'string' ? [value] : descriptionsIn(value),
  );
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .match(/[a-z0-9_]+/g)
    ?.join(' ') ?? '';
