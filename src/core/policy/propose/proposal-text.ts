/*
 * What "mcp-concerns init" writes, as lines of YAML without their line breaks.
 */
import { toYamlScalar } from '../language/yaml-scalars.js';
import type { Proposal, ProposedTool } from './propose-policy.js';
import type { Effect } from './words/verbs.js';

type Lines = readonly string[];

/** The sections of the policy. One without lines is left out. */
export interface PolicySections {
  /** The path of the JSON Schema for editors. */
  readonly schema: string;
  readonly server: string;
  readonly include: Lines;
  /** The values of the concern `effect`. */
  readonly effects: Lines;
  /** The other concerns. */
  readonly world: Lines;
  readonly reaches: Lines;
  readonly topic: Lines;
  readonly presets: Lines;
  readonly assign: Lines;
  readonly patterns: Lines;
  readonly primitives: Lines;
  readonly present: Lines;
}

const indented = (by: number, lines: Lines): Lines =>
  lines.map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`));

/** @returns the text of a policy, not formatted yet: sections that are left out leave empty lines */
export const policyText = (sections: PolicySections): string =>
  [
    `# yaml-language-server: $schema=${sections.schema}`,
    '#',
    `# A first policy for ${sections.server}.`,
    '# Its values come from annotations, tags, names and descriptions. Words can mislead, so review every value.',
    'version: 1',
    '',
    ...sections.include,
    '',
    '# What a host may set. Rename these in the words of your users, and add more: cost, security, audience, ...',
    'concerns:',
    '  # Ordered from harmless to harmful. With at-most, a host that sets changes also sees tools that only read.',
    '  effect:',
    '    description: What a call may do',
    '    values:',
    ...indented(6, sections.effects),
    '    match: at-most',
    '',
    ...indented(2, sections.world),
    '',
    ...indented(2, sections.reaches),
    '',
    ...indented(2, sections.topic),
    '',
    ...sections.presets,
    '',
    ...sections.assign,
    '',
    ...sections.patterns,
    '',
    ...sections.primitives,
    '',
    ...sections.present,
    '',
    'settings:',
    '  # Primitives that this policy does not map, such as new tools, are shown. Write "hide" to hide them instead.',
    '  unmapped: show',
    '',
  ].join('\n');

/** @returns the text of a further file, for a server with thousands of tools */
export const partText = (section: string, lines: Lines): string =>
  ['version: 1', '', `${section}:`, '  tools:', ...indented(4, lines), ''].join('\n');

export const includeLines = (paths: string): Lines => [
  '# The values of tools, in several files.',
  `include: [${paths}]`,
];

/** @returns the values of a concern, each with its description */
export const describedValues = (values: readonly (readonly [value: string, description: string])[]): Lines =>
  values.map(([value, text]) => `- ${toYamlScalar(value)}: ${toYamlScalar(text)}`);

export const EFFECT_TEXTS: Readonly<Record<Effect, string>> = {
  'read-only': 'Tools that only read',
  changes: 'Also tools that add or change something',
  destroys: 'Also tools that may delete something for good',
};

/** Whether a tool stays in a closed world. */
export const WORLD: Lines = [
  '# From openWorldHint.',
  'world:',
  '  description: What a call may contact',
  '  values:',
  '    - closed: "Tools that stay in a closed world, such as this server"',
  '    - open: Also tools that may contact anything outside',
  '  match: at-most',
];

/** Whom a call reaches. */
export const REACHES: Lines = [
  '# From the verbs of names, such as "send" and "invite". About one of ten is wrong, so look at each of them.',
  'reaches:',
  '  description: Whom a call reaches',
  '  values:',
  '    - nobody: Tools whose calls do not write to people',
  '    - people: Also tools that send, share or invite',
  '  match: at-most',
];

const TOPIC_ORIGINS: Readonly<Record<Proposal['topicsFrom'], string>> = {
  prefixes: 'From the servers behind the gateway, by the prefixes of the names.',
  tags: 'From the tags of the server.',
  words: 'From words that several names share.',
};

/** The concern `topic`, from a proposal that has topics. */
export const topicLines = (
  from: Proposal['topicsFrom'],
  hasOther: boolean,
  values: Lines,
  isNested: boolean,
): Lines => [
  `# ${TOPIC_ORIGINS[from]} A host may name several.${hasOther ? ' All other tools have the topic other.' : ''}`,
  '# With settings.panel, a model may choose too: model is free. It can never change what a call may do.',
  'topic:',
  '  description: What you are going to work on',
  '  values:',
  ...indented(4, values),
  ...(isNested ? ['  match: within'] : []),
  '  multiple: true',
  '  model: free',
];

export const presetLines = (presets: Lines): Lines => [
  '# One word for several preferences. A host may send {preset: look}, and a URL may end in ?concerns=look.',
  'presets:',
  ...indented(2, presets),
];

export const SAME = '# No tool has the effect changes today, so careful shows the same as look.';

/** Values from annotations, with the defaults of https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations. */
export const assignLines = (hasWorld: boolean, hints: Lines): Lines => [
  '# Values from annotations. Tools that are added later get them too. Later items win, and an entry below overrides them.',
  'assign:',
  '  # The defaults of MCP: a tool may destroy something and contact anything, unless its annotations say otherwise.',
  '  - when: { "===": [{ var: primitive.kind }, tools] }',
  `    to: { effect: destroys${hasWorld ? ', world: open' : ''} }`,
  ...indented(2, hints),
];

/** One item of `assign`: what an annotation says. */
export const hintLines = (name: string, value: boolean, to: string): Lines => [
  `- when: { "===": [{ var: primitive.annotations.${name} }, ${value}] }`,
  `  to: { ${to} }`,
];

export const patternLines = (patterns: Lines): Lines => [
  '# Later patterns win.',
  'patterns:',
  '  tools:',
  ...indented(4, patterns),
];

export const TOPIC_PATTERNS = '# New tools of these servers get their topic too.';
export const ACTIONS =
  '# Each action that no entry below names, also one that the server adds, does the worst that its tool can do.';

export const primitiveLines = (kinds: Lines): Lines => [
  '# Each primitive by its exact name. {} maps a primitive without values of its own.',
  'primitives:',
  ...indented(2, kinds),
];

/** The headings of groups of tools. */
export const REVIEW = 'Review these first: it is not certain what they do.';
export const FIT_ALL = 'These fit every topic.';
export const GUESSED = '# Few tools have annotations, so effect comes from the verbs of names.';
export const ALL_DESTRUCTIVE =
  '# The server declares all tools that change something as destructive. For those that only add, write changes.';

/** Where the effect of a tool is from, behind its entry. */
export const EFFECT_REMARKS: Readonly<Record<ProposedTool['effectFrom'], string>> = {
  description: 'from the description',
  name: 'from the name',
  nothing: '',
  hints: '',
};

/** Above the titles and hints, if actions have hints. */
export const ACTION_HINTS =
  '# A hint of an action holds while all actions that are left have it, and only under "enforcement: enforce".';

export const presentLines = (tools: Lines): Lines => [
  '# Titles and hints that the server does not give, from the names and effects above. Hosts get them with its tools.',
  'present:',
  '  tools:',
  ...indented(4, tools),
];
