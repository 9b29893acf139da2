import { openConfiguration } from '../../engine/added-tools.js';
import { isForPages } from '../../engine/companions.js';
import type { Configuration } from '../../engine/configuration.js';
import { itemAt } from '../../engine/item-at.js';
import { fromNumber, identityOf, type Primitive } from '../../engine/mapping.js';
import { type Catalog, select } from '../../engine/select.js';
import { getOrMake } from '../../once.js';
import { redactDefinitions } from '../enforce/definitions.js';
import { configure } from '../request/configure.js';
import { ask, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { hidingConcern } from './item-classes.js';

/** The tools that a model may add, and what decides about them. */
export interface AddableTools {
  readonly tools: readonly Primitive[];
  /** Those that are shown already. */
  readonly shown: ReadonlySet<Primitive>;
  readonly bound: Catalog<Primitive>;
  readonly configuration: Configuration;
  /** Decides about the tools when they are added. */
  readonly open: Configuration;
}

/**
 * Finds the tools that a model may add to what is shown: nothing but concerns with `model: free` hides them.
 *
 * @param facts the call of the model
 * @returns the tools, and `open`, which decides about them when they are added; `undefined` if the server does not list its tools, or if the list is too long to be kept
 * @example
 * (yield* addableTools(facts))?.tools;
 */
export function* addableTools(facts: Facts): ResponseSteps<AddableTools | undefined> {
  const found = yield* ask({ need: 'whole', kind: 'tools' });
  if (found.state !== 'complete') return undefined;
  const { bound } = found.list;
  const configuration = configure(facts, yield* ask({ need: 'kept' }), { meta: false });
  const open = openConfiguration(configuration, 'model');
  const [opened, shown] = [new Set(select(bound, open).kept), new Set(select(bound, configuration).kept)];
  // A server may list a name twice: one that is also the name of a closed tool is never told.
  const closed = new Set(bound.items.filter((tool) => !opened.has(tool)).map(nameOf));
  const tools = bound.items.filter(
    (tool) => opened.has(tool) && !shown.has(tool) && !closed.has(nameOf(tool)) && !isForPages(tool),
  );
  return { tools, shown, bound, configuration, open };
}

export const nameOf = (tool: Primitive): string => identityOf('tools', tool);

/** Of a description. If the answer is too long, it has shorter ones, and then only names. */
const LETTERS = [40, 20, 0];
/** An answer has at most 10,000 tokens. Words are counted here, which are a little fewer (bench/concerns-tool.ts). */
export const MAX_WORDS = 9000;
const WORD = /\p{Lu}?\p{Ll}{1,7}|\p{N}|\S/gu;

/**
 * Names the hidden tools that a model may add to what is shown, grouped by the value that hides them.
 *
 * @param facts the call of the model
 * @param text what each of them contains in its name, title or description; all if it is left out
 * @example
 * yield* listHiddenTools(facts, 'price'); // 'topic stocks:\nget_quote: Returns the price of a stock'
 */
export function* listHiddenTools(facts: Facts, text = ''): ResponseSteps<string> {
  const found = yield* addableTools(facts);
  if (found === undefined) return 'The server does not list its tools, or lists too many.';
  const { tools, bound, configuration, open } = found;
  const words = text.toLowerCase().split(/\s+/).slice(0, MAX_WORDS_ASKED);
  const redacts = facts.isEnforced && facts.policy.settings.texts !== 'keep';
  const definitions = redacts ? redactDefinitions(bound, tools, open) : tools;
  const written = new Map(tools.map((tool, index) => [tool, definitions[index] ?? tool]));
  const groups = new Map<string, Primitive[]>();
  bound.items.forEach((item, position) => {
    const tool = written.get(item);
    const isMeant = tool !== undefined && words.every((word) => textsOf(tool).toLowerCase().includes(word));
    if (!isMeant) return;
    const label = labelOf(bound, position, configuration);
    getOrMake(groups, label, () => []).push(tool);
  });
  if (groups.size === 0)
    return text === ''
      ? 'No tool is hidden that you can show.'
      : 'No hidden tool contains all of these words. Pass fewer words, or list: true.';
  for (const letters of LETTERS) {
    const written = textOf(groups, letters);
    if (wordsIn(written) <= MAX_WORDS) return written;
  }
  return cut(textOf(groups, 0));
}

const MAX_WORDS_ASKED = 16;

const textsOf = ({ name, title, description }: Primitive): string =>
  [name, title, description].filter((each) => typeof each === 'string').join(' ');

/** Returns the concern that hides a tool, and the values with which it is shown. */
function labelOf(bound: Catalog<Primitive>, position: number, configuration: Configuration): string {
  const { concern: index = -1, offered = [] } = hidingConcern(bound, position, configuration) ?? {};
  const concern = itemAt(configuration.policy.concerns, index);
  return `${concern.name} ${offered.map((each) => fromNumber(concern, each)).join(' or ')}`;
}

const textOf = (groups: ReadonlyMap<string, readonly Primitive[]>, letters: number): string =>
  [...groups]
    .map(([label, tools]) => [`${label}:`, ...tools.map((tool) => lineOf(tool, letters))].join('\n'))
    .join('\n\n');

function lineOf({ name, title, description }: Primitive, letters: number): string {
  const [text = ''] = [description, title].filter((each) => typeof each === 'string');
  // A description can have megabytes, and a letter up to two units.
  const plain = text
    .slice(0, 16 * letters)
    .replace(/\s+/g, ' ')
    .trim();
  const start = Array.from(plain).slice(0, letters).join('').trim();
  return start === '' ? String(name) : `${name}: ${start}`;
}

/** @returns about how many tokens a text has */
export const wordsIn = (text: string): number => text.match(WORD)?.length ?? 0;

/** Returns as many lines as fit. */
function cut(text: string): string {
  const lines = text.split('\n');
  let room = MAX_WORDS;
  const end = lines.findIndex((line) => {
    room -= wordsIn(line);
    return room < 0;
  });
  return [
    ...lines.slice(0, end),
    '',
    'More are hidden than can be listed. Pass find with words of the task.',
  ].join('\n');
}
