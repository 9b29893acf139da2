import type { Effect } from './name-words.js';
import type { Proposal, ProposedTool } from './propose-policy.js';

/** What is known of the server, for the first lines. */
export interface ProposalFacts {
  /** As the server calls itself. */
  readonly server: string;
  /** The path of the schema, seen from the policy. */
  readonly schema: string;
}

const MEANING: Readonly<Record<Effect, string>> = {
  'read-only': 'looks',
  changes: 'adds or changes',
  destroys: 'may take away for good',
};

/**
 * Writes a proposal down as a policy, with comments that explain each part.
 *
 * @param proposal what is proposed
 * @param facts what is known of the server
 * @returns YAML, to be formatted
 * @example
 * writeFileSync('policy.yaml', formatYaml(writeProposal(proposePolicy(surface), facts)));
 */
export function writeProposal(proposal: Proposal, { server, schema }: ProposalFacts): string {
  return [
    `# yaml-language-server: $schema=${schema}`,
    '#',
    `# A first policy for ${comment(server)}.`,
    '# It is made from annotations, tags and names: what the server says of itself. Names can mislead: read it once.',
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
  '  # A tool that the server gains tomorrow is shown until it is mapped here; "hide" is the cautious choice.',
  '  unmapped: show',
];

function concernLines({ effects, reaches, topics, topicsBy }: Proposal): string[] {
  const meanings = effects.map((effect) => `${effect} ${MEANING[effect]}`);
  return [
    '# What a host may ask for. Call these as your users would, and add their own: cost, security, audience, ...',
    'concerns:',
    '  # From harmless to harmful, and at-most: who asks for changes gets what only reads, too.',
    '  effect:',
    `    description: ${quoted(`How far a call may go: ${meanings.join('; ')}`)}`,
    `    values: [${effects.join(', ')}]`,
    '    match: at-most',
    ...(reaches
      ? [
          '',
          '  # From openWorldHint.',
          '  reach:',
          '    description: Whether a call stays with this server, or may reach the world outside',
          '    values: [local, world]',
          '    match: at-most',
        ]
      : []),
    ...(topics.length === 0
      ? []
      : [
          '',
          topicsBy === 'tags'
            ? "  # The server's own tags. A host may name several; a tool without a tag belongs to all of them."
            : '  # What names have in common. A host may name several; what has nothing in common is other.',
          '  topic:',
          '    description: What you are about to work on',
          `    values: [${topics.map(key).join(', ')}]`,
          '    multiple: true',
        ]),
  ];
}

function presetLines({ effects, reaches }: Proposal): string[] {
  if (effects.length < 2) return [];
  const careful = effects.includes('changes') && effects.includes('destroys');
  return [
    '# One word for several wishes: a host may send {preset: look}, an address may end in ?concerns=look.',
    'presets:',
    `  look: { effect: read-only${reaches ? ', reach: local' : ''} }`,
    ...(careful ? ['  careful: { effect: changes }'] : []),
    '',
  ];
}

function assignLines({ tools, reaches }: Proposal): string[] {
  const by = (effect: Effect) => tools.some((tool) => tool.effectBy === 'hints' && tool.effect === effect);
  const hint = (name: string, is: boolean, fallback?: boolean) => {
    const path = `primitive.annotations.${name}`;
    const read = fallback === undefined ? path : `[${path}, ${fallback}]`;
    return `{ "===": [{ var: ${read} }, ${is}] }`;
  };
  const both = (other: string) => [
    '  - when:',
    '      and:',
    `        - ${hint('readOnlyHint', false, false)}`,
    `        - ${other}`,
  ];
  const lines = [
    ...(by('read-only') ? [`  - when: ${hint('readOnlyHint', true)}`, '    to: { effect: read-only }'] : []),
    ...(by('changes') ? [...both(hint('destructiveHint', false)), '    to: { effect: changes }'] : []),
    ...(by('destroys')
      ? [...both(hint('destructiveHint', true, false)), '    to: { effect: destroys }']
      : []),
    ...(reaches
      ? [
          `  - when: ${hint('openWorldHint', false)}`,
          '    to: { reach: local }',
          `  - when: ${hint('openWorldHint', true, false)}`,
          '    to: { reach: world }',
        ]
      : []),
  ];
  if (lines.length === 0) return [];
  return [
    '# Values from annotations, so that tools of tomorrow have them, too. An entry below is stronger.',
    'assign:',
    ...lines,
    '',
  ];
}

function primitiveLines({ tools, others, topics }: Proposal): string[] {
  const guessed = tools.filter(({ effectBy }) => effectBy !== 'hints');
  const mostly = guessed.length * 2 > tools.length;
  const lines = [
    '# Each primitive by its exact name. {} is mapped, with no value of its own: it fits every wish.',
    'primitives:',
  ];
  if (tools.length > 0) {
    lines.push('  tools:');
    if (mostly) {
      lines.push(
        '    # Hardly a tool says what it does, so effect was judged by names; what says nothing counts as the worst.',
      );
    }
    for (const topic of [...topics, undefined]) {
      const some = tools.filter((tool) => tool.topics[0] === topic);
      if (some.length === 0) continue;
      if (topics.length > 0) {
        const head = topic === undefined ? '# Without a topic.' : `# ${topic}`;
        lines.push(...(lines.at(-1) === '  tools:' ? [] : ['']), `    ${head}`);
      }
      lines.push(...some.map((tool) => `    ${toolLine(tool, mostly)}`));
    }
  }
  for (const [kind, names] of Object.entries(others)) {
    if (names.length === 0) continue;
    lines.push('', `  ${kind}:`, ...names.map((name) => `    ${key(name)}: {}`));
  }
  return lines;
}

function toolLine({ name, effect, effectBy, topics }: ProposedTool, mostly: boolean): string {
  const values = [
    ...(effectBy === 'hints' ? [] : [`effect: ${effect}`]),
    ...(topics.length === 0
      ? []
      : [`topic: ${topics.length === 1 ? topics.map(key) : `[${topics.map(key).join(', ')}]`}`]),
  ];
  const remark = effectBy === 'nothing' ? ' # nothing says what it does' : ' # by its name';
  const mapping = values.length === 0 ? '{}' : `{ ${values.join(', ')} }`;
  return `${key(name)}: ${mapping}${effectBy === 'hints' || (mostly && effectBy === 'name') ? '' : remark}`;
}

/** A text as a YAML scalar; in quotes wherever it could be something else than that text. */
export function key(text: string): string {
  const plain =
    /^[A-Za-z_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*$/.test(text) &&
    !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return plain ? text : quoted(text);
}

/** Double quotes of YAML take what those of JSON take; what an editor would not show is escaped beside. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const comment = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '');
