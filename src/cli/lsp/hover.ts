import { resolveConfiguration } from '../../core/engine/configuration.js';
import { evaluate } from '../../core/engine/evaluate.js';
import { fromNumbers, identityOf, mapPrimitive, type Primitive } from '../../core/engine/mapping.js';
import { type Concern, KINDS, type Kind } from '../../core/engine/policy.js';
import { descriptionAt } from '../../core/policy/check/completions.js';
import { read } from '../../core/wire/messages.js';
import { FULL_CLIENT_CAPABILITIES } from '../inputs/generated/client-capabilities.js';
import { reasonInWords } from '../terminal/reason-words.js';
import { named, type OpenPolicy } from './open-policy.js';
import type { WordAt } from './word-at.js';

/**
 * Writes what an editor shows about a word: the decision about a primitive under each preset, what a concern or a value
 * means, or what a key of the language does.
 *
 * @param at the word
 * @param open the policy
 * @returns Markdown; undefined if nothing is known about the word
 * @example
 * hoverText(wordAt(text, offset), open); // '**encryptData**\n\n- no preferences: shown'
 */
export function hoverText(at: WordAt, open: OpenPolicy): string | undefined {
  const { word, path, writes } = at;
  const [section, second] = path;
  const isKey = writes === 'key';
  const kind = KINDS.find((each) => each === (section === 'tests' ? path[2] : second));
  if (kind !== undefined && namesPrimitive(path, isKey)) return aboutPrimitive(kind, word, open);
  const isName = isKey || path[2] === 'concerns';
  const concern = named(open, at).concerns.find(
    ({ name }) => name === (isName ? word : path.findLast(isText)),
  );
  if (concern !== undefined && !path.includes('when') && section !== 'settings') {
    return isName ? aboutConcern(concern) : aboutValue(concern, word);
  }
  const server = open.servers.find(({ key }) => section === 'servers' && path.length === 1 && key === word);
  if (server !== undefined) return `The names of its tools and prompts begin with \`${server.slug}__\`.`;
  return isKey ? descriptionAt([...path, word]) : undefined;
}

const isText = (step: string | 0): step is string => typeof step === 'string';

/** In a policy, names are the keys of `primitives`. In a test file, they are in the lists of expectations. */
function namesPrimitive(path: WordAt['path'], isKey: boolean): boolean {
  if (path[0] === 'primitives') return isKey && path.length === 2;
  return path[0] === 'tests' && !isKey && ['includes', 'excludes', 'only'].includes(String(path[3]));
}

function aboutPrimitive(kind: Kind, name: string, { policy, catalog }: OpenPolicy): string {
  const listed = catalog[kind]?.find((each) => identityOf(kind, each) === name);
  const title = `**${escaped(name)}**`;
  if (policy === undefined) return `${title}\n\nThe policy has errors, so nothing is decided.`;
  if (listed === undefined && catalog[kind] !== undefined) return `${title}\n\nThe server does not list it.`;
  const texts = [read(listed, 'description'), read(listed, 'title')];
  const about = texts.find((each) => typeof each === 'string');
  const primitive: Primitive = listed ?? { name, uri: name, uriTemplate: name };
  const mapping = mapPrimitive(policy, kind, primitive);
  const values = policy.concerns.flatMap((concern, index) => {
    const offer = mapping.offers[index];
    if (offer === undefined) return [];
    return `${concern.name} ${fromNumbers(concern, offer.offered).join(', ')}`;
  });
  const decided = (label: string, concerns?: object): string => {
    const sources = concerns === undefined ? [] : [{ from: 'request', concerns } as const];
    const { effect, reason } = evaluate(mapping, resolveConfiguration(policy, sources, CALLER));
    const shown = effect === 'show';
    const why = reason.code === 'fits' ? '' : ` (${reasonInWords(policy, reason, shown)})`;
    return `- ${label}: ${shown ? 'shown' : 'hidden'}${escaped(why)}`;
  };
  const presets = [...policy.presets.keys()].map((preset) => decided(`preset \`${preset}\``, { preset }));
  return [
    title,
    ...(about === undefined ? [] : [escaped(about)]),
    values.length === 0 ? 'It has no values, which matches everything.' : `Values: ${values.join('; ')}.`,
    [decided('no preferences'), ...presets].join('\n'),
  ].join('\n\n');
}

const CALLER = { claims: new Map(), capabilities: FULL_CLIENT_CAPABILITIES, era: 'legacy' } as const;

function aboutConcern({ name, description, values, match, valueDescriptions = {} }: Concern): string {
  const listed =
    'min' in values
      ? [`- a number from ${values.min} to ${values.max}`]
      : values.map((value) => {
          const about = valueDescriptions[value];
          return `- \`${value}\`${about === undefined ? '' : `: ${escaped(about)}`}`;
        });
  return [
    `**${name}** (match: ${match})`,
    ...(description === undefined ? [] : [escaped(description)]),
    listed.join('\n'),
  ].join('\n\n');
}

function aboutValue({ name, values, valueDescriptions = {} }: Concern, value: string): string | undefined {
  if (!Array.isArray(values) || !values.includes(value)) return undefined;
  const about = Object.hasOwn(valueDescriptions, value) ? valueDescriptions[value] : undefined;
  return `\`${value}\`, a value of **${name}**${about === undefined ? '' : `: ${escaped(about)}`}`;
}

/** Texts of servers and policies are not Markdown. */
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
