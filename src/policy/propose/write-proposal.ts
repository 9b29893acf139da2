import { groupBy } from '../language/group-by.js';
import { LIMITS } from '../language/schema.js';
import { toQuotedYaml, toYamlScalar } from '../language/yaml-scalars.js';
import type { Proposal, ProposedTool } from './propose-policy.js';
import { topicValues } from './topic-values.js';
import { OTHER } from './topics/propose-topics.js';
import type { Effect } from './words/verbs.js';

/** The facts for the first lines of the policy. */
export interface ProposalFacts {
  /** The name that the server gives itself. */
  readonly server: string;
  /** The path of the JSON Schema for editors, relative to the policy. */
  readonly schema: string;
  /** The folder for further files, relative to the policy, if the entries do not fit into one file. */
  readonly folder: string;
  /** Whether the policy also has the titles and the hints that the server does not give. */
  readonly present?: boolean;
}

const MEANING: Readonly<Record<Effect, string>> = {
  'read-only': 'Tools that only read',
  changes: 'Also tools that add or change something',
  destroys: 'Also tools that may delete something for good',
};

/**
 * Writes a proposal as a policy, with comments that explain each part.
 *
 * @param proposal the proposed concerns and values
 * @param facts the server, the schema and the folder for further files
 * @returns the text of the policy, not formatted yet, and further files by path relative to it, for a server with thousands
 *   of tools
 * @example
 * const facts = { server: 'files', schema: './schema.json', folder: 'policy' };
 * writeFileSync('policy.yaml', formatYaml(writeProposal(proposePolicy(catalog), facts).text));
 */
export function writeProposal(
  proposal: Proposal,
  { server, schema, folder, present = false }: ProposalFacts,
) {
  const tools = toolLines(proposal);
  const presented = present ? presentedLines(proposal) : [];
  const isWhole = splitLines([...tools, ...presented]).length < 2;
  const parts = isWhole
    ? []
    : [
        ...splitLines(tools).map((lines, index) => ['primitives', `tools-${index + 1}`, lines] as const),
        ...splitLines(presented).map((lines, index) => ['present', `present-${index + 1}`, lines] as const),
      ].filter(([, , lines]) => lines.length > 0);
  const paths = parts.map(([, name]) => `${folder}/${name}.yaml`);
  const head = (title: string): string[] => [`# yaml-language-server: $schema=${schema}`, '#', title];
  const text = [
    ...head(`# A first policy for ${comment(server)}.`),
    '# Its values come from annotations, tags, names and descriptions. Words can mislead, so review every value.',
    'version: 1',
    '',
    ...(paths.length === 0
      ? []
      : ['# The values of tools, in several files.', `include: [${paths.map(toQuotedYaml)}]`, '']),
    ...concernLines(proposal),
    '',
    ...presetLines(proposal),
    ...assignLines(proposal),
    ...patternLines(proposal),
    ...primitiveLines(proposal, isWhole ? tools : []),
    ...(isWhole && presented.length > 0 ? ['', PRESENT, 'present:', '  tools:', ...presented] : []),
    ...SETTINGS,
    '',
  ].join('\n');
  const partTexts = parts.map(([section, name, lines]): [string, string] => [
    `${folder}/${name}.yaml`,
    ['version: 1', '', `${section}:`, '  tools:', ...lines, ''].join('\n'),
  ]);
  return { text, parts: new Map(partTexts) };
}

const PRESENT =
  '# Titles and hints that the server does not give, from the names and effects above. Hosts get them with its tools.';

function presentedLines({ tools }: Proposal): string[] {
  return tools.flatMap(({ name, present: { title, annotations } }) => {
    const hints = Object.entries(annotations ?? {}).map(([hint, value]) => `${hint}: ${value}`);
    const parts = [
      ...(title === undefined ? [] : [`title: ${toYamlScalar(title)}`]),
      ...(hints.length === 0 ? [] : [`annotations: { ${hints.join(', ')} }`]),
    ];
    return parts.length === 0 ? [] : [`    ${toYamlScalar(name)}: { ${parts.join(', ')} }`];
  });
}

const SETTINGS = [
  '',
  'settings:',
  '  # Primitives that this policy does not map, such as new tools, are shown. Write "hide" to hide them instead.',
  '  unmapped: show',
];

/** Leaves room below the limit, because formatting can make a file longer. */
const PART_BYTES = LIMITS.fileBytes * 0.7;

/** Splits lines into parts that each fit into a file. */
function splitLines(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(line) + 1;
    if (bytes + size > PART_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(line);
    bytes += size;
  }
  return parts;
}

const TOPIC_ORIGIN: Readonly<Record<Proposal['topicsFrom'], string>> = {
  prefixes: 'From the servers behind the gateway, by the prefixes of the names.',
  tags: 'From the tags of the server.',
  words: 'From words that several names and descriptions share.',
};

/** Whether a tool stays in a closed world, with the meaning of each value. */
const WORLDS = [
  ['closed', 'Tools that stay in a closed world, such as this server'],
  ['open', 'Also tools that may contact anything outside'],
] as const;

/** A value that needs a description begins on its own line. */
const concernText = (
  name: string,
  description: string,
  values: readonly (readonly [value: string, description: string])[],
  ...settings: readonly string[]
): string[] => [
  `  ${name}:`,
  `    description: ${description}`,
  '    values:',
  ...values.map(([value, text]) => `      - ${toYamlScalar(value)}: ${toYamlScalar(text)}`),
  ...settings.map((setting) => `    ${setting}`),
];

function concernLines(proposal: Proposal): string[] {
  const { effects, hasWorld, topics, topicsFrom } = proposal;
  const { values, nested } = topicValues(proposal);
  const meanings = effects.map((effect) => [effect, MEANING[effect]] as const);
  const world = concernText('world', 'What a call may contact', WORLDS, 'match: at-most');
  const settings = [...(nested ? ['match: within'] : []), 'multiple: true', 'model: free'];
  const topic = concernText('topic', 'What you are going to work on', values, ...settings);
  const rest = topics.includes(OTHER) ? ' All other tools have the topic other.' : '';
  const origin = [
    `  # ${TOPIC_ORIGIN[topicsFrom]} A host may name several.${rest}`,
    '  # With settings.panel, a model may choose too: model is free. It can never change what a call may do.',
  ];
  return [
    '# What a host may set. Rename these in the words of your users, and add more: cost, security, audience, ...',
    'concerns:',
    '  # Ordered from harmless to harmful. With at-most, a host that sets changes also sees tools that only read.',
    ...concernText('effect', 'What a call may do', meanings, 'match: at-most'),
    ...(hasWorld ? ['', '  # From openWorldHint.', ...world] : []),
    ...(topics.length === 0 ? [] : ['', ...origin, ...topic]),
  ];
}

function presetLines({ effects, hasWorld, tools }: Proposal): string[] {
  const [lowest] = effects;
  if (effects.length < 2) return [];
  const careful = lowest === 'read-only';
  const isSame = careful && !hasWorld && tools.every(({ effect }) => effect !== 'changes');
  return [
    '# One word for several preferences. A host may send {preset: look}, and a URL may end in ?concerns=look.',
    'presets:',
    `  look: { effect: ${lowest}${hasWorld ? ', world: closed' : ''} }`,
    ...(isSame ? ['  # No tool has the effect changes today, so careful shows the same as look.'] : []),
    ...(careful ? ['  careful: { effect: changes }'] : []),
    '',
  ];
}

/** Values from annotations, with the defaults of https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations. */
function assignLines({ tools, effects, hasWorld }: Proposal): string[] {
  if (tools.length === 0) return [];
  const [lowest] = effects;
  const hint = (name: string, value: boolean): string =>
    `  - when: { "===": [{ var: primitive.annotations.${name} }, ${value}] }`;
  return [
    '# Values from annotations. Tools that are added later get them too. Later items win, and an entry below overrides them.',
    'assign:',
    '  # The defaults of MCP: a tool may destroy something and contact anything, unless its annotations say otherwise.',
    '  - when: { "===": [{ var: primitive.kind }, tools] }',
    `    to: { effect: destroys${hasWorld ? ', world: open' : ''} }`,
    ...(effects.includes('changes') ? [hint('destructiveHint', false), '    to: { effect: changes }'] : []),
    ...(lowest === 'destroys' ? [] : [hint('readOnlyHint', true), `    to: { effect: ${lowest} }`]),
    ...(hasWorld ? [hint('openWorldHint', false), '    to: { world: closed }'] : []),
    '',
  ];
}

function patternLines({ patterns }: Proposal): string[] {
  if (patterns.length === 0) return [];
  return [
    '# New tools of these servers get their topic too. Later patterns win.',
    'patterns:',
    '  tools:',
    ...patterns.map(
      ({ pattern, topic }) => `    ${toQuotedYaml(pattern)}: { topic: ${toYamlScalar(topic)} }`,
    ),
    '',
  ];
}

function primitiveLines({ others }: Proposal, tools: readonly string[]): string[] {
  const lines = Object.entries(others).flatMap(([kind, names]) =>
    names.length === 0 ? [] : ['', `  ${kind}:`, ...names.map((name) => `    ${toYamlScalar(name)}: {}`)],
  );
  if (tools.length === 0 && lines.length === 0) return [];
  return [
    '# Each primitive by its exact name. {} maps a primitive without values of its own.',
    'primitives:',
    ...(tools.length === 0 ? [] : ['  tools:', ...tools]),
    ...lines,
  ];
}

function toolLines(proposal: Proposal): string[] {
  const { tools, topics } = proposal;
  // A pattern maps the tools of a gateway, so only values of their own need an entry.
  const listed =
    proposal.patterns.length === 0 ? tools : tools.filter((tool) => valuesOf(tool, proposal).length > 0);
  const guessed = listed.filter(({ effectFrom }) => effectFrom === 'name');
  const isMostlyGuessed = guessed.length * 2 > tools.length;
  const hasSections = topics.length > 0 && proposal.patterns.length === 0;
  const titleOf = ({ doubt, topics: own }: ProposedTool): string => {
    if (doubt !== undefined) return REVIEW;
    if (!hasSections) return '';
    return own === 'any' ? FIT_ALL : (own[0] ?? '');
  };
  const sections = groupBy(listed, titleOf);
  const written = [REVIEW, FIT_ALL, '', ...topics].flatMap((title) => {
    const own = sections.get(title);
    return own === undefined ? [] : [[title, own] as const];
  });
  const lines = [
    ...(isMostlyGuessed
      ? ['    # Few tools have annotations, so effect comes from the verbs of names.']
      : []),
    ...(proposal.allDestructive ? [ALL_DESTRUCTIVE] : []),
  ];
  return written.flatMap(([title, own], index) => [
    ...(index === 0 ? lines : ['']),
    ...(title === '' ? [] : [`    # ${title}`]),
    ...own.map((tool) => `    ${toolLine(tool, proposal, isMostlyGuessed)}`),
  ]);
}

const REVIEW = 'Review these first: it is not certain what they do.';
const FIT_ALL = 'These fit every topic.';
const ALL_DESTRUCTIVE =
  '    # The server declares all tools that change something as destructive. For those that only add, write changes.';

/** @returns the values that neither `assign` nor a pattern gives */
function valuesOf(
  { name, effect, assigned, doubt, topics }: ProposedTool,
  { patterns, topics: all }: Proposal,
): string[] {
  const written = topics === 'any' ? ['any'] : topics;
  const [only] = written;
  // Later patterns win.
  const pattern = patterns.findLast((each) => name.startsWith(each.pattern.slice(0, -1)));
  const isPattern = written.length === 1 && pattern?.topic === only;
  const needsTopic = patterns.length === 0 ? all.length > 0 && topics !== 'any' : !isPattern;
  return [
    ...(effect === assigned && doubt === undefined ? [] : [`effect: ${effect}`]),
    ...(needsTopic && only !== undefined
      ? [`topic: ${written.length === 1 ? toYamlScalar(only) : `[${written.map(toYamlScalar).join(', ')}]`}`]
      : []),
  ];
}

const ORIGIN = {
  description: ' # from the description',
  name: ' # from the name',
  nothing: '',
  hints: '',
} as const;

function toolLine(tool: ProposedTool, proposal: Proposal, isMostlyGuessed: boolean): string {
  const values = valuesOf(tool, proposal);
  const isImplied = tool.effect === tool.assigned || (tool.effectFrom === 'name' && isMostlyGuessed);
  const remark =
    tool.doubt === undefined ? (isImplied ? '' : ORIGIN[tool.effectFrom]) : ` # ${comment(tool.doubt)}`;
  return `${toYamlScalar(tool.name)}: ${values.length === 0 ? '{}' : `{ ${values.join(', ')} }`}${remark}`;
}

/** Removes line breaks and invisible characters, so that a text of the server cannot end the comment. */
const comment = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');
