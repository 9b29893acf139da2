import type { Primitive } from '../../engine/mapping.js';
import { descriptionWords } from './description-words.js';
import {
  EFFECTS,
  type Effect,
  effectOfPhrase,
  effectOfVerb,
  isOnlyVerb,
  isWeakVerb,
  wordSet,
} from './verbs.js';

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
 * @returns the effect, where it comes from, and a doubt if two of these disagree
 * @example
 * proposeEffect({ name: 'delete_branch' }, ['delete', 'branch']); // { effect: 'destroys', effectFrom: 'name' }
 */
export function proposeEffect(tool: Primitive, words: readonly string[]): ProposedEffect {
  const { readOnlyHint, destructiveHint } = hintsOf(tool);
  const fromWords = effectOfWords(tool, words);
  if (readOnlyHint === true) {
    const doubt = 'readOnlyHint is true, but its words say that it destroys';
    return fromHints(
      'read-only',
      fromWords.effectFrom === 'name' && fromWords.effect === 'destroys' ? doubt : undefined,
    );
  }
  const reads =
    fromWords.effectFrom !== 'nothing' && fromWords.effect === 'read-only' && fromWords.doubt === undefined;
  if (destructiveHint === true) {
    const mild = readOnlyHint === undefined && reads ? 'reads' : isAddition(tool, words) ? 'adds' : undefined;
    return fromHints('destroys', mild && `destructiveHint is true, but its words say that it only ${mild}`);
  }
  if (destructiveHint === false)
    return readOnlyHint === undefined && reads ? fromWords : fromHints('changes');
  // The annotation is stronger than words: a tool that declares it is not read-only is never taken as read-only.
  if (readOnlyHint === false && fromWords.effect === 'read-only') return { ...fromWords, effect: 'changes' };
  return fromWords;
}

/** @returns the effect that the specification gives a tool with these annotations, with its defaults for missing ones */
export function effectOfHints(tool: Primitive): Effect {
  const { readOnlyHint, destructiveHint } = hintsOf(tool);
  return readOnlyHint === true ? 'read-only' : destructiveHint === false ? 'changes' : 'destroys';
}

/** @returns the annotations of a tool */
export function hintsOf({ annotations }: Primitive): Readonly<Record<string, unknown>> {
  return typeof annotations === 'object' && annotations !== null ? { ...annotations } : {};
}

/** Verbs after which everything that was there is still there. */
const ADDITIONS = wordSet('add append clone comment copy create duplicate insert');

/** Methods of HTTP in names: only the description says what they do. */
const HTTP = wordSet('patch post put');

function isAddition(tool: Primitive, words: readonly string[]): boolean {
  const { verb = '' } = descriptionWords(tool);
  const [first = ''] = words;
  const adds = words.some((word) => ADDITIONS.has(word)) || (HTTP.has(first) && ADDITIONS.has(verb));
  return adds && effectOfName(words)?.effect === 'changes' && !words.includes('or');
}

const fromHints = (effect: Effect, doubt?: string): ProposedEffect => ({
  effect,
  effectFrom: 'hints',
  ...(doubt === undefined ? {} : { doubt }),
});

function effectOfWords(tool: Primitive, words: readonly string[]): ProposedEffect {
  const name = effectOfName(words);
  const { verb, object = [] } = descriptionWords(tool);
  const described = verb === undefined ? undefined : effectOfPhrase(verb, object);
  if (name === undefined) {
    return described === undefined
      ? {
          effect: 'destroys',
          effectFrom: 'nothing',
          doubt: 'neither annotations nor words tell what it does',
        }
      : { effect: described, effectFrom: 'description' };
  }
  if (verb === undefined || described === undefined) return { effect: name.effect, effectFrom: 'name' };
  if (name.weak && !isWeakVerb(verb)) return { effect: described, effectFrom: 'description' };
  const contradicts =
    name.effect === 'read-only' && described !== 'read-only' && isOnlyVerb(verb) && !isWeakVerb(verb);
  if (!contradicts) return { effect: name.effect, effectFrom: 'name' };
  return {
    effect: described,
    effectFrom: 'description',
    doubt: `its name says that it reads, but its description says "${verb}"`,
  };
}

/**
 * Guesses the effect of a tool from its name. The first word decides if it is a verb. A word that is also a noun, such as
 * `issue`, gives way to a verb behind it: `issue_delete`. Of two verbs joined by "or" or "and", the more harmful one decides.
 *
 * @param words the words of the name
 * @returns the effect, and whether the verb says little; `undefined` if the name has no known verb
 * @example
 * effectOfName(['create', 'or', 'delete', 'branch']); // { effect: 'destroys', weak: false }
 */
function effectOfName(words: readonly string[]): { effect: Effect; weak: boolean } | undefined {
  const [first = '', ...rest] = words;
  const verbs = words.filter(isOnlyVerb);
  if (verbs.length > 1 && rest.some((word) => word === 'or' || word === 'and')) {
    const effects = verbs.map((verb) => effectOfVerb(verb));
    const effect = EFFECTS.findLast((each) => effects.includes(each));
    if (effect !== undefined) return { effect, weak: false };
  }
  // `place_details` and `order_status` name what the tool gives back.
  if (verbs.length === 0 && rest.length > 0 && GIVEN_BACK.has(words.at(-1) ?? ''))
    return { effect: 'read-only', weak: false };
  const isVerb = (word: string): boolean => effectOfVerb(word) !== undefined;
  const only = isOnlyVerb(first) ? 0 : words.findLastIndex(isOnlyVerb);
  const any = isVerb(first) ? 0 : words.findLastIndex(isVerb);
  const index = only === -1 ? any : only;
  const verb = words[index] ?? '';
  const object = [...words.slice(0, index), ...words.slice(index + 1)];
  const effect = effectOfPhrase(verb, object);
  if (effect === undefined) return undefined;
  return { effect, weak: isWeakVerb(verb) && effect === effectOfVerb(verb) };
}

const GIVEN_BACK = wordSet(
  'count counts details diff diffs history info information log logs metadata metrics overview schema size statistics stats status summary',
);
