import { identityOf, type Primitive } from '../../engine/mapping.js';
import { annotationsOf } from '../../engine/present.js';
import { argumentsOf } from '../../engine/uses/domain.js';
import { parseUse, useName } from '../../engine/uses/use-name.js';
import { oppositesAmong, type ProposedEffect, proposeEffect } from './effects.js';
import { isActionParameter } from './words/actions.js';
import { GIVEN_BACK } from './words/generated/word-lists.js';
import { EFFECTS, type Effect, effectOfVerb, isChange, isOnlyVerb } from './words/verbs.js';
import { wordsOf } from './words/words.js';

/** What the actions of a tool do that has several, and that some do less than others. */
export interface ProposedActions {
  /** The argument whose values are the actions. */
  readonly argument: string;
  /** What the worst action does, and any that the server adds. */
  readonly worst: Effect;
  /** Whether the server has such an action now, or one whose words do not tell what it does. */
  readonly hasWorst: boolean;
  /** The actions that do less. */
  readonly milder: readonly ProposedAction[];
  /** The actions whose words do not tell what they do, so they count as the worst. */
  readonly unknown: readonly string[];
}

export interface ProposedAction {
  readonly value: string;
  readonly effect: Effect;
}

/**
 * Finds out what each action of a tool does, from the verb of the action. A tool that also deletes is then not hidden as a whole
 * from a host that only reads.
 *
 * @param tool the tool as the server lists it
 * @param words the words of its name
 * @param whole what the tool as a whole does
 * @returns `undefined` if the tool has no actions, or if all of them do the same
 * @example
 * proposeActions(projects, ['projects'], { effect: 'destroys', effectFrom: 'nothing' })?.milder;
 * // [{ value: 'list', effect: 'read-only' }]
 */
export function proposeActions(
  tool: Primitive,
  words: readonly string[],
  whole: ProposedEffect,
): ProposedActions | undefined {
  // What only reads is shown to every host already.
  if (whole.effect === 'read-only' && whole.doubt === undefined) return undefined;
  const found = actionArgument(tool);
  if (found === undefined) return undefined;
  const { argument, values } = found;
  const { destructiveHint } = annotationsOf(tool);
  const name = identityOf('tools', tool);
  const opposite = oppositesAmong(values.map(wordsOf));
  const all = values.map((value) => {
    const parsed = parseUse(useName(name, argument, value));
    // A value that a policy cannot name counts as any other.
    const isNamed = parsed?.tool === name && parsed.argument === argument && parsed.value === value;
    return { value, effect: isNamed && value !== '' ? effectOfAction(value, words, opposite) : undefined };
  });
  const effects = all.flatMap(({ effect }) => effect ?? []);
  // New actions are unknown, so they are taken as the worst that the server does not rule out.
  const worst: Effect = effects.includes('destroys') || destructiveHint !== false ? 'destroys' : 'changes';
  // If the server says that it destroys, and no verb says which action does, any that changes something may be the one.
  const isUnsaid = destructiveHint === true && !effects.includes('destroys');
  const milder = all.flatMap(({ value, effect }) =>
    effect === undefined || effect === worst || (isUnsaid && effect !== 'read-only')
      ? []
      : [{ value, effect }],
  );
  const isDivided = milder.some(({ effect }) => EFFECTS.indexOf(effect) < EFFECTS.indexOf(whole.effect));
  const isWorse = EFFECTS.indexOf(worst) > EFFECTS.indexOf(whole.effect) && effects.includes(worst);
  if (milder.length === 0 || (!isDivided && !isWorse)) return undefined;
  const unknown = all.flatMap(({ value, effect }) => (effect === undefined ? [value] : []));
  return { argument, worst, hasWorst: milder.length < all.length, milder, unknown };
}

/**
 * Finds the argument of a tool whose values are what the tool can do: most of them begin with a verb.
 *
 * @returns `undefined` if there is none
 * @example
 * actionArgument(projects); // { argument: 'action', values: ['list', 'delete'], isRequired: true }
 */
function actionArgument(tool: Primitive):
  | {
      readonly argument: string;
      readonly values: readonly string[];
      readonly isRequired: boolean;
      readonly byDefault?: unknown;
    }
  | undefined {
  for (const { name, domain, isRequired, byDefault } of argumentsOf(tool, isActionParameter)) {
    if (domain.type !== 'closed') continue;
    const values = domain.values.filter((each) => typeof each === 'string');
    const verbs = values.filter((value) => effectOfVerb(wordsOf(value)[0]) !== undefined);
    if (values.length > 1 && verbs.length * 2 > values.length)
      return { argument: name, values, isRequired, byDefault };
  }
  return undefined;
}

/**
 * Returns the part of the schema of a tool that has its actions, for a catalog of facts.
 *
 * @returns `undefined` if the tool has no actions
 */
export function actionSchema(tool: Primitive): object | undefined {
  const found = actionArgument(tool);
  if (found === undefined) return undefined;
  const { argument, isRequired } = found;
  const schema = {
    enum: found.values,
    ...(found.byDefault === undefined ? {} : { default: found.byDefault }),
  };
  return {
    type: 'object',
    properties: { [argument]: schema },
    ...(isRequired ? { required: [argument] } : {}),
  };
}

/** @returns what an action does; `undefined` if its words do not tell */
function effectOfAction(
  value: string,
  words: readonly string[],
  opposite: ReturnType<typeof oppositesAmong>,
): Effect | undefined {
  const own = wordsOf(value);
  const { effect, doubt } = judged(own, words, opposite);
  // `read` of `mark_email` sets a state, and shows nothing.
  const [verb = ''] = words;
  const isDoubtful =
    doubt || (effect === 'read-only' && isChange(verb) && isOnlyVerb(verb) && verb !== 'manage');
  return isDoubtful && effect !== 'destroys' ? undefined : effect;
}

function judged(
  own: readonly string[],
  words: readonly string[],
  opposite: ReturnType<typeof oppositesAmong>,
): { readonly effect?: Effect; readonly doubt: boolean } {
  // `info` and `usage_stats` name what they give back.
  if (GIVEN_BACK.has(own.at(-1) ?? '') && !own.some(isChange)) return { effect: 'read-only', doubt: false };
  if (effectOfVerb(own[0]) === undefined) return { doubt: false };
  // What the tool is about decides, too: `watch` of a subscription. A verb of its name would decide in place of the action.
  const all = [...own, ...words.filter((word) => !isOnlyVerb(word))];
  // As a sentence, so that a noun counts as a verb: `diff`.
  const { effect, doubt } = proposeEffect(
    { name: own.join('_'), description: all.join(' ') },
    all,
    false,
    opposite(own),
  );
  return { effect, doubt: doubt !== undefined };
}
