import { useName } from '../../engine/uses/use-name.js';
import { groupBy } from '../../once.js';
import { LIMITS } from '../language/schema.js';
import { toQuotedYaml, toYamlFlow, toYamlScalar } from '../language/yaml-scalars.js';
import {
  ACTION_HINTS,
  ACTIONS,
  ALL_DESTRUCTIVE,
  assignLines,
  describedValues,
  EFFECT_REMARKS,
  EFFECT_TEXTS,
  FIT_ALL,
  GUESSED,
  hintLines,
  includeLines,
  partText,
  patternLines,
  policyText,
  presentLines,
  presetLines,
  primitiveLines,
  REACHES,
  REVIEW,
  SAME,
  TOPIC_PATTERNS,
  topicLines,
  WORLD,
} from './proposal-text.js';
import { effectsOfTool, type Proposal, type ProposedTool, START } from './propose-policy.js';
import { topicValues } from './topic-values.js';
import { OTHER } from './topics/propose-topics.js';

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
): { readonly text: string; readonly parts: ReadonlyMap<string, string> } {
  const tools = toolLines(proposal);
  const presented = present ? presentedLines(proposal) : [];
  const actions = actionPatterns(proposal);
  const isWhole = splitLines([...tools, ...actions, ...presented]).length < 2;
  const sections = [
    { section: 'patterns', file: 'patterns', all: actions },
    { section: 'primitives', file: 'tools', all: tools },
    { section: 'present', file: 'present', all: presented },
  ];
  const parts = sections.flatMap(({ section, file, all }) =>
    (isWhole || all.length === 0 ? [] : splitLines(all)).map((lines, index): [path: string, text: string] => [
      `${folder}/${file}-${index + 1}.yaml`,
      partText(section, lines),
    ]),
  );
  const text = policyText({
    schema,
    server: comment(server),
    include: isWhole ? [] : includeLines(parts.map(([path]) => toQuotedYaml(path)).join(',')),
    effects: describedValues(proposal.effects.map((effect) => [effect, EFFECT_TEXTS[effect]])),
    world: proposal.hasWorld ? WORLD : [],
    reaches: proposal.tools.some(({ reaches }) => reaches !== undefined) ? REACHES : [],
    topic: topicOf(proposal),
    presets: presetsOf(proposal),
    assign: assignOf(proposal),
    patterns: patternsOf(proposal, isWhole ? actions : []),
    primitives: primitivesOf(proposal, isWhole ? tools : []),
    present: isWhole && presented.length > 0 ? presentLines(presented) : [],
  });
  return { text, parts: new Map(parts) };
}

function presentedLines({ tools }: Proposal): string[] {
  const line = (name: string, presented: object): string => `${toYamlScalar(name)}: ${toYamlFlow(presented)}`;
  const lines = tools.flatMap(({ name, present, presentedActions }) => [
    ...(Object.keys(present).length === 0 ? [] : [line(name, present)]),
    ...presentedActions.map((each) => line(each.name, { annotations: each.annotations })),
  ]);
  const hasActions = tools.some(({ presentedActions }) => presentedActions.length > 0);
  return hasActions ? [ACTION_HINTS, ...lines] : lines;
}

/** Leaves room below the limit, because formatting can make a file longer. */
const PART_BYTES = LIMITS.fileBytes * 0.7;

/** Splits lines into parts that each fit into a file. */
function splitLines(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const line of lines) {
    // With its indentation and its line break.
    const size = line === '' ? 1 : Buffer.byteLength(line) + 5;
    if (bytes + size > PART_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(line);
    bytes += size;
  }
  return parts;
}

function topicOf(proposal: Proposal): readonly string[] {
  const { topics, topicsFrom } = proposal;
  if (topics.length === 0) return [];
  const { values, nested } = topicValues(proposal);
  return topicLines(topicsFrom, topics.includes(OTHER), describedValues(values), nested);
}

function presetsOf({ effects, tools, start }: Proposal): readonly string[] {
  const first = start === undefined ? [] : [`${START}: { topic: ${START} }`];
  // Without a tool that only reads, "look" would show tools that change something, or nothing.
  const hasLook = effects.length > 1 && effects[0] === 'read-only';
  const isSame = !tools.flatMap(effectsOfTool).includes('changes');
  const look = ['look: { effect: read-only }', ...(isSame ? [SAME] : []), 'careful: { effect: changes }'];
  const presets = [...first, ...(hasLook ? look : [])];
  return presets.length === 0 ? [] : presetLines(presets);
}

function assignOf({ tools, effects, hasWorld }: Proposal): readonly string[] {
  if (tools.length === 0) return [];
  const [lowest] = effects;
  const hint = (isNeeded: boolean, name: string, value: boolean, to: string): readonly string[] =>
    isNeeded ? hintLines(name, value, to) : [];
  return assignLines(hasWorld, [
    ...hint(effects.includes('changes'), 'destructiveHint', false, 'effect: changes'),
    ...hint(lowest !== 'destroys', 'readOnlyHint', true, `effect: ${lowest}`),
    ...hint(hasWorld, 'openWorldHint', false, 'world: closed'),
  ]);
}

function patternsOf({ patterns }: Proposal, actions: readonly string[]): readonly string[] {
  const topics = patterns.map(({ pattern, topic }) => `${toQuotedYaml(pattern)}: ${toYamlFlow({ topic })}`);
  if (topics.length + actions.length === 0) return [];
  const [first, ...rest] = [
    ...(topics.length === 0 ? [] : [[TOPIC_PATTERNS, ...topics]]),
    ...(actions.length === 0 ? [] : [[ACTIONS, ...actions]]),
  ];
  return patternLines([...(first ?? []), ...rest.flatMap((lines) => ['', ...lines])]);
}

/** What is not named below of a tool with several actions. */
function actionPatterns({ tools }: Proposal): string[] {
  return tools.flatMap(({ name, actions }) => {
    if (actions === undefined) return [];
    const pattern = useName(name, actions.argument, '*');
    return [`${toQuotedYaml(pattern)}: ${toYamlFlow({ effect: actions.worst })}`];
  });
}

function primitivesOf({ others }: Proposal, tools: readonly string[]): readonly string[] {
  const first = tools.length === 0 ? [] : ['tools:', ...tools.map((each) => `  ${each}`)];
  const rest = Object.entries(others).flatMap(([kind, names]) =>
    names.length === 0 ? [] : ['', `${kind}:`, ...names.map((name) => `  ${toYamlScalar(name)}: {}`)],
  );
  const kinds = [...first, ...rest];
  return kinds.length === 0 ? [] : primitiveLines(kinds);
}

function toolLines(proposal: Proposal): string[] {
  const { tools, topics } = proposal;
  // A pattern maps the tools of a gateway, so only values of their own need an entry.
  const listed =
    proposal.patterns.length === 0
      ? tools
      : tools.filter((tool) => Object.keys(valuesOf(tool, proposal)).length > 0);
  const guessed = listed.filter(({ effectFrom }) => effectFrom === 'name');
  const isMostlyGuessed = guessed.length * 2 > tools.length;
  const hasSections = topics.length > 0 && proposal.patterns.every(({ pattern }) => pattern === '*');
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
    ...(isMostlyGuessed ? [GUESSED] : []),
    ...(proposal.allDestructive ? [ALL_DESTRUCTIVE] : []),
  ];
  return written.flatMap(([title, own], index) => [
    ...(index === 0 ? lines : ['']),
    ...(title === '' ? [] : [`# ${title}`]),
    ...own.flatMap((tool) => [toolLine(tool, proposal, isMostlyGuessed), ...actionLines(tool)]),
  ]);
}

/** @returns the values that neither `assign` nor a pattern gives */
function valuesOf(
  { name, effect, assigned, doubt, topics, reaches, actions }: ProposedTool,
  { patterns, topics: all }: Proposal,
): object {
  const written = topics === 'any' ? ['any'] : topics;
  const [only] = written;
  // Later patterns win.
  const pattern = patterns.findLast((each) => name.startsWith(each.pattern.slice(0, -1)));
  const isPattern = written.length === 1 && pattern?.topic === only;
  const needsTopic = patterns.length === 0 ? all.length > 0 && topics !== 'any' : !isPattern;
  return {
    // The actions have effects, and the tool has none.
    ...(actions === undefined && effect === assigned && doubt === undefined
      ? {}
      : { effect: actions === undefined ? effect : 'any' }),
    ...(reaches === undefined ? {} : { reaches: 'people' }),
    ...(needsTopic && only !== undefined ? { topic: written.length === 1 ? only : written } : {}),
  };
}

function toolLine(tool: ProposedTool, proposal: Proposal, isMostlyGuessed: boolean): string {
  const isImplied =
    tool.actions !== undefined ||
    tool.effect === tool.assigned ||
    (tool.effectFrom === 'name' && isMostlyGuessed);
  const ofEffect =
    tool.doubt === undefined ? (isImplied ? '' : EFFECT_REMARKS[tool.effectFrom]) : comment(tool.doubt);
  const ofReach = tool.reaches === undefined ? '' : `"${tool.reaches}" may write to people`;
  const unknown = tool.actions?.unknown ?? [];
  const ofActions = unknown.length === 0 ? '' : comment(`not clear: ${unknown.join(', ')}`);
  const remarks = [ofEffect, ofReach, ofActions].filter((remark) => remark !== '');
  const remark = remarks.length === 0 ? '' : ` # ${remarks.join('; ')}`;
  return `${toYamlScalar(tool.name)}: ${toYamlFlow(valuesOf(tool, proposal))}${remark}`;
}

/** The actions of a tool that do less than its worst one. */
const actionLines = ({ name, actions }: ProposedTool): string[] =>
  (actions?.milder ?? []).map(
    ({ value, effect }) =>
      `${toYamlScalar(useName(name, actions?.argument ?? '', value))}: ${toYamlFlow({ effect })}`,
  );

/** Removes line breaks and invisible characters, so that a text of the server cannot end the comment. */
const comment = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');
