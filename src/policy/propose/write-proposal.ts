import { toQuotedYaml, toYamlScalar } from '../language/yaml-scalars.js';
import type { Effect } from './name-words.js';
import type { Proposal, ProposedTool } from './propose-policy.js';

/** The facts for the first lines of the policy. */
export interface ProposalFacts {
  /** The name that the server gives itself. */
  readonly server: string;
  /** The path of the JSON Schema for editors, relative to the policy. */
  readonly schema: string;
}

const MEANING: Readonly<Record<Effect, string>> = {
  'read-only': 'read',
  changes: 'add or change something',
  destroys: 'delete something for good',
};

/**
 * Writes a proposal as a policy, with comments that explain each part.
 *
 * @param proposal the proposed concerns and values
 * @param facts the server and the schema, for the first lines
 * @returns the YAML text of a policy, not formatted yet
 * @example
 * writeFileSync('policy.yaml', formatYaml(writeProposal(proposePolicy(catalog), facts)));
 */
export function writeProposal(proposal: Proposal, { server, schema }: ProposalFacts): string {
  return [
    `# yaml-language-server: $schema=${schema}`,
    '#',
    `# A first policy for ${comment(server)}.`,
    '# Its values come from the annotations, tags and names of the tools. A name can mislead, so review every value.',
    'version: 1',
    '',
    ...concernLines(proposal),
    '',
    ...presetLines(proposal),
    ...assignLines(proposal),
    ...primitiveLines(proposal),
    ...SETTINGS,
    '',
  ].join('\n');
}

const SETTINGS = [
  '',
  'settings:',
  '  # Primitives that this policy does not map, such as new tools, are shown. Write "hide" to hide them instead.',
  '  unmapped: show',
];

function concernLines({ effects, hasReach, topics, topicsFrom }: Proposal): string[] {
  const meanings = effects.map((effect) => `${MEANING[effect]} (${effect})`);
  return [
    '# What a host may set. Rename these in the words of your users, and add more: cost, security, audience, ...',
    'concerns:',
    '  # Ordered from harmless to harmful. With at-most, a host that sets changes also sees tools that only read.',
    '  effect:',
    `    description: ${toQuotedYaml(`What a call may do: ${meanings.join(', ')}`)}`,
    `    values: [${effects.join(', ')}]`,
    '    match: at-most',
    ...(hasReach
      ? [
          '',
          '  # From openWorldHint.',
          '  reach:',
          '    description: Whether a call stays within this server, or may reach other systems',
          '    values: [local, world]',
          '    match: at-most',
        ]
      : []),
    ...(topics.length === 0
      ? []
      : [
          '',
          topicsFrom === 'tags'
            ? '  # From the tags of the server. A host may name several. A tool without a tag fits every topic.'
            : '  # From words that several names share. A host may name several. All other tools have the topic other.',
          '  topic:',
          '    description: What you are going to work on',
          `    values: [${topics.map(toYamlScalar).join(', ')}]`,
          '    multiple: true',
        ]),
  ];
}

function presetLines({ effects, hasReach }: Proposal): string[] {
  if (effects.length < 2) return [];
  const careful = effects.includes('changes') && effects.includes('destroys');
  return [
    '# One word for several preferences. A host may send {preset: look}, and a URL may end in ?concerns=look.',
    'presets:',
    `  look: { effect: read-only${hasReach ? ', reach: local' : ''} }`,
    ...(careful ? ['  careful: { effect: changes }'] : []),
    '',
  ];
}

function assignLines({ tools, hasReach }: Proposal): string[] {
  const comesFromHints = (effect: Effect) =>
    tools.some((tool) => tool.effectFrom === 'hints' && tool.effect === effect);
  const comparison = (name: string, value: boolean, fallback?: boolean) => {
    const path = `primitive.annotations.${name}`;
    const read = fallback === undefined ? path : `[${path}, ${fallback}]`;
    return `{ "===": [{ var: ${read} }, ${value}] }`;
  };
  const notReadOnlyAnd = (other: string) => [
    '  - when:',
    '      and:',
    `        - ${comparison('readOnlyHint', false, false)}`,
    `        - ${other}`,
  ];
  const lines = [
    ...(comesFromHints('read-only')
      ? [`  - when: ${comparison('readOnlyHint', true)}`, '    to: { effect: read-only }']
      : []),
    ...(comesFromHints('changes')
      ? [...notReadOnlyAnd(comparison('destructiveHint', false)), '    to: { effect: changes }']
      : []),
    ...(comesFromHints('destroys')
      ? [...notReadOnlyAnd(comparison('destructiveHint', true, false)), '    to: { effect: destroys }']
      : []),
    ...(hasReach
      ? [
          `  - when: ${comparison('openWorldHint', false)}`,
          '    to: { reach: local }',
          `  - when: ${comparison('openWorldHint', true, false)}`,
          '    to: { reach: world }',
        ]
      : []),
  ];
  if (lines.length === 0) return [];
  return [
    '# Values from annotations. Tools that are added later get them too. An entry below overrides them.',
    'assign:',
    ...lines,
    '',
  ];
}

function primitiveLines({ tools, others, topics }: Proposal): string[] {
  const guessed = tools.filter(({ effectFrom }) => effectFrom !== 'hints');
  const isMostlyGuessed = guessed.length * 2 > tools.length;
  const lines = [
    '# Each primitive by its exact name. {} maps a primitive without values of its own.',
    'primitives:',
  ];
  if (tools.length > 0) {
    lines.push('  tools:');
    if (isMostlyGuessed) {
      lines.push(
        '    # Few tools have annotations, so effect is guessed from names. Without a known verb, it is the worst.',
      );
    }
    for (const topic of [...topics, undefined]) {
      const group = tools.filter((tool) => tool.topics[0] === topic);
      if (group.length === 0) continue;
      if (topics.length > 0) {
        const head = topic === undefined ? '# Tools without a topic' : `# ${topic}`;
        lines.push(...(lines.at(-1) === '  tools:' ? [] : ['']), `    ${head}`);
      }
      lines.push(...group.map((tool) => `    ${toolLine(tool, isMostlyGuessed)}`));
    }
  }
  for (const [kind, names] of Object.entries(others)) {
    if (names.length === 0) continue;
    lines.push('', `  ${kind}:`, ...names.map((name) => `    ${toYamlScalar(name)}: {}`));
  }
  return lines;
}

function toolLine({ name, effect, effectFrom, topics }: ProposedTool, isMostlyGuessed: boolean): string {
  const values = [
    ...(effectFrom === 'hints' ? [] : [`effect: ${effect}`]),
    ...(topics.length === 0
      ? []
      : [
          `topic: ${topics.length === 1 ? topics.map(toYamlScalar) : `[${topics.map(toYamlScalar).join(', ')}]`}`,
        ]),
  ];
  const remark =
    effectFrom === 'nothing' ? ' # neither annotations nor the name tell' : ' # guessed from the name';
  const mapping = values.length === 0 ? '{}' : `{ ${values.join(', ')} }`;
  return `${toYamlScalar(name)}: ${mapping}${effectFrom === 'hints' || (isMostlyGuessed && effectFrom === 'name') ? '' : remark}`;
}

/** Removes line breaks and invisible characters, so that a name of the server cannot end the comment. */
const comment = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');
