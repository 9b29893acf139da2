import type { Primitive } from '../../engine/mapping.js';
import { annotationsOf } from '../../engine/present.js';
import { descriptionWords } from './words/description-words.js';
import {
  ADDITIONS,
  CARRIES_OUT,
  GIVEN_BACK,
  HTTP_METHODS,
  OPPOSITES,
  READ_OR_WRITE,
  WEAK,
} from './words/generated/word-lists.js';
import {
  EFFECTS,
  type Effect,
  effectOfPhrase,
  effectOfVerb,
  isChange,
  isOnlyVerb,
  isPlainWrite,
  mostHarmful,
} from './words/verbs.js';
import { singularOf } from './words/words.js';

/** What a tool does, and how that was found out. */
export interface ProposedEffect {
  readonly effect: Effect;
  /** `nothing`: neither annotations nor words tell, so it is the most harmful effect. */
  readonly effectFrom: 'hints' | 'name' | 'description' | 'nothing';
  /** Why a person should look at it. */
  readonly doubt?: string;
}

/**
 * Finds out what a tool does: from its annotations, else from the verb of its name, else from the verb of its description.
 *
 * @param tool the tool as the server lists it
 * @param words the words of its name, without a prefix that all tools of the server have
 * @param opposite the verb with which another tool of the server undoes it: `unread`, beside `read`
 * @param isBlanket whether the server declares everything as destructive that changes something, see `declaresAllDestructive`
 * @returns the effect, where it comes from, and a doubt if two of these disagree
 * @example
 * proposeEffect({ name: 'delete_branch' }, ['delete', 'branch']); // { effect: 'destroys', effectFrom: 'name' }
 */
export function proposeEffect(
  tool: Primitive,
  words: readonly string[],
  isBlanket = false,
  opposite?: string,
): ProposedEffect {
  const { readOnlyHint, destructiveHint } = annotationsOf(tool);
  const fromWords = effectBeside(effectOfWords(tool, words), opposite);
  if (readOnlyHint === true) {
    const written = writtenBy(tool, words, fromWords);
    const doubt = written && `readOnlyHint is true, but its words say "${written}"`;
    // Where name and description agree against the hint, the hint is not obeyed. A description alone misleads more often.
    const isNamed = isChange(effectOfName(words)?.verb ?? '');
    return fromHints(written !== undefined && isNamed ? 'changes' : 'read-only', doubt);
  }
  const reads =
    fromWords.effectFrom !== 'nothing' && fromWords.effect === 'read-only' && fromWords.doubt === undefined;
  if (destructiveHint === true) {
    // Where all tools have the hint, the doubt would be the same for all.
    const adds = !isBlanket && isAddition(tool, words) ? 'adds' : undefined;
    const mild = readOnlyHint === undefined && reads ? 'reads' : adds;
    return fromHints('destroys', mild && `destructiveHint is true, but its words say that it only ${mild}`);
  }
  if (destructiveHint === false)
    return readOnlyHint === undefined && reads ? fromWords : fromHints('changes');
  // The annotation is stronger than words: a tool that declares it is not read-only is never taken as read-only.
  if (readOnlyHint === false && fromWords.effect === 'read-only') return { ...fromWords, effect: 'changes' };
  return fromWords;
}

/** What another tool undoes sets something, and does not only show it: `show_row` beside `hide_row`. */
const effectBeside = (found: ProposedEffect, opposite: string | undefined): ProposedEffect =>
  opposite === undefined || found.effect !== 'read-only'
    ? found
    : { effect: 'changes', effectFrom: 'name', doubt: `another tool undoes it: "${opposite}"` };

/**
 * Finds the opposites of tools: the verb of another tool with the same words behind it.
 *
 * @param names the words of all names
 * @returns a function that returns the opposite verb for the words of a name; `undefined` if no tool has it
 * @example
 * oppositesAmong([['read', 'messages'], ['unread', 'message']])(['read', 'messages']); // 'unread'
 */
export function oppositesAmong(names: Iterable<readonly string[]>) {
  const all = [...names];
  const singular = singularOf(all.flat());
  const keyOf = (verb: string, object: readonly string[]) => [verb, ...object.map(singular)].join(' ');
  const known = new Set(all.map(([verb = '', ...object]) => keyOf(verb, object)));
  return ([verb = '', ...object]: readonly string[]): string | undefined =>
    [`un${verb}`, `de${verb}`, ...(OPPOSITES.get(verb)?.split(' ') ?? [])].find((each) =>
      known.has(keyOf(each, object)),
    );
}

/** Whether each of several tools that change something is declared as destructive, so that the hint does not tell them apart. */
export function declaresAllDestructive(tools: readonly Primitive[]): boolean {
  const hints = tools.map(annotationsOf).filter(({ readOnlyHint }) => readOnlyHint !== true);
  const declared = hints.flatMap(({ destructiveHint }) => destructiveHint ?? []);
  return declared.length > 2 && declared.every((each) => each === true);
}

/** @returns the effect that the specification gives a tool with these annotations, with its defaults for missing ones */
export function effectOfHints(tool: Primitive): Effect {
  const { readOnlyHint, destructiveHint } = annotationsOf(tool);
  return readOnlyHint === true ? 'read-only' : destructiveHint === false ? 'changes' : 'destroys';
}

function isAddition(tool: Primitive, words: readonly string[]): boolean {
  const { verb = '' } = descriptionWords(tool);
  const [first = ''] = words;
  const adds = words.some((word) => ADDITIONS.has(word)) || (HTTP_METHODS.has(first) && ADDITIONS.has(verb));
  return adds && effectOfName(words)?.effect === 'changes' && !words.includes('or');
}

const fromHints = (effect: Effect, doubt?: string): ProposedEffect => ({
  effect,
  effectFrom: 'hints',
  ...(doubt === undefined ? {} : { doubt }),
});

/** @returns what contradicts the annotation that a tool only reads */
function writtenBy(
  tool: Primitive,
  words: readonly string[],
  { effect, effectFrom }: ProposedEffect,
): string | undefined {
  const { verb = '', writes } = descriptionWords(tool);
  const named = effectOfName(words);
  if (effectFrom === 'name' && named !== undefined && (effect === 'destroys' || isPlainWrite(named.verb)))
    return named.verb;
  return writes ?? (isPlainWrite(verb) ? verb : undefined);
}

function effectOfWords(tool: Primitive, words: readonly string[]): ProposedEffect {
  const { verb, object = [], writes } = descriptionWords(tool);
  const described = verb === undefined ? undefined : effectOfPhrase(verb, object);
  // A single noun is a verb only if the description says so too.
  const isNoun = words.length === 1 && !words.some(isOnlyVerb);
  const name = isNoun && described === undefined ? undefined : effectOfName(words);
  const found = mergeWords(name && { ...name, weak: name.weak === true || isNoun }, described, verb);
  if (found.doubt !== undefined || writes === undefined) return found;
  const effect = effectOfVerb(writes) === 'destroys' ? 'destroys' : 'changes';
  if (EFFECTS.indexOf(effect) <= EFFECTS.indexOf(found.effect)) return found;
  const says = `its name says that it ${found.effect === 'changes' ? 'only changes' : 'reads'}, but its`;
  return {
    effect,
    effectFrom: 'description',
    doubt: `${found.effectFrom === 'name' ? says : 'its'} description says "${writes}"`,
  };
}

function mergeWords(name: NamedEffect | undefined, described: Effect | undefined, verb = ''): ProposedEffect {
  const byText: ProposedEffect =
    described === undefined
      ? {
          effect: 'destroys',
          effectFrom: 'nothing',
          doubt: 'neither annotations nor words tell what it does',
        }
      : described === 'read-only' && READ_OR_WRITE.has(verb)
        ? { effect: 'changes', effectFrom: 'description', doubt: unclear('description', verb) }
        : { effect: described, effectFrom: 'description' };
  if (name === undefined) return byText;
  const byName: ProposedEffect = { effect: name.effect, effectFrom: 'name' };
  const saysWhich = READ_OR_WRITE.has(name.verb) && described === 'read-only' && !READ_OR_WRITE.has(verb);
  if (name.doubt !== undefined && !saysWhich) {
    const isWorse = described !== undefined && EFFECTS.indexOf(described) > EFFECTS.indexOf(name.effect);
    return { ...(isWorse ? byText : byName), doubt: name.doubt };
  }
  if (described === undefined) return byName;
  if (name.doubt !== undefined && saysWhich) return byText;
  if (name.isNoun && described === 'read-only') {
    const doubt = `its description says "${verb}", but its name may say "${name.verb}"`;
    return name.effect === 'destroys' ? { ...byText, doubt } : byText;
  }
  if (name.weak && !WEAK.has(verb)) {
    if (described !== 'read-only' || !CARRIES_OUT.has(name.verb)) return byText;
    return { ...byText, doubt: `its description says "${verb}", but its name says "${name.verb}"` };
  }
  const isCertain = !WEAK.has(verb) && (isOnlyVerb(verb) || !isOnlyVerb(name.verb));
  if (name.effect !== 'read-only' || described === 'read-only') return byName;
  // Code can do anything, also where the verb in front of it says little.
  if (!isCertain && described !== 'destroys') return byName;
  return { ...byText, doubt: `its name says that it reads, but its description says "${verb}"` };
}

const unclear = (where: 'name' | 'description', verb: string): string =>
  `its ${where} does not tell whether "${verb}" changes something`;

/** What a name says. */
interface NamedEffect {
  readonly effect: Effect;
  /** The word that decides. */
  readonly verb: string;
  /** Whether the verb says little. */
  readonly weak?: boolean;
  /** Whether the word can also name what the tool gives back, as in `order_status`: only the description may say so. */
  readonly isNoun?: boolean;
  readonly doubt?: string;
}

/**
 * Guesses the effect of a tool from its name. The first word decides if it is a verb. A word that is also a noun, such as
 * `issue`, gives way to a verb behind it: `issue_delete`. Of two verbs joined by "or" or "and", the more harmful one decides,
 * and a verb that destroys decides wherever it is.
 *
 * @param words the words of the name
 * @returns the effect and the word that decides; `undefined` if the name has no known verb
 * @example
 * effectOfName(['create', 'or', 'delete', 'branch']); // { effect: 'destroys', verb: 'delete' }
 */
function effectOfName(words: readonly string[]): NamedEffect | undefined {
  const [first = '', ...rest] = words;
  const verbs = words.filter(isOnlyVerb);
  if (verbs.length > 1 && rest.some((word) => word === 'or' || word === 'and')) {
    const verb = mostHarmful(verbs) ?? '';
    return { effect: effectOfVerb(verb) ?? 'destroys', verb };
  }
  const reads = effectOfVerb(first) === 'read-only';
  const doubtOf = (verb: string): Pick<NamedEffect, 'doubt'> =>
    reads ? { doubt: `its name begins with "${first}", but has "${verb}"` } : {};
  const gone = verbs.find((verb) => effectOfVerb(verb) === 'destroys');
  if (gone !== undefined) return { effect: 'destroys', verb: gone, ...doubtOf(gone) };
  const changing = words.find(isChange);
  // `place_details` and `order_status` name what the tool gives back, or what it does to it: `drop_schema`.
  if (verbs.length === 0 && GIVEN_BACK.has(words.at(-1) ?? '')) {
    const verb = words.slice(0, -1).find(isChange);
    if (verb === undefined) return { effect: 'read-only', verb: first };
    return { effect: effectOfVerb(verb) ?? 'destroys', verb, isNoun: true };
  }
  const isVerb = (word: string): boolean => effectOfVerb(word) !== undefined;
  // `flag_message_as_read`: what stands behind "as" is a state, and no verb.
  const setsState = isChange(first) && rest.includes('as');
  const only = isOnlyVerb(first) || setsState ? 0 : words.findLastIndex(isOnlyVerb);
  const any = isVerb(first) ? 0 : words.findLastIndex(isVerb);
  const index = only === -1 ? any : only;
  const verb = words[index] ?? '';
  const object = [...words.slice(0, index), ...words.slice(index + 1)];
  if (rest.join(' ').includes('read only')) object.push('readonly');
  const effect = effectOfPhrase(verb, object);
  if (effect === undefined) return undefined;
  const named = { effect, verb, weak: WEAK.has(verb) && effect === effectOfVerb(verb) };
  if (effect !== 'read-only') {
    // Only what it acts on says that such a verb changes something.
    return effect === 'changes' && effectOfVerb(verb) === 'read-only'
      ? { ...named, doubt: unclear('name', verb) }
      : named;
  }
  if (READ_OR_WRITE.has(verb)) return { ...named, effect: 'changes', doubt: unclear('name', verb) };
  return changing !== undefined && isPlainWrite(changing) ? { ...named, ...doubtOf(changing) } : named;
}
