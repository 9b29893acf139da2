import { membersOf } from '../../../engine/expression/evaluate.js';
import { follow } from '../../language/data-parts.js';
import { isActionParameter } from './actions.js';
import { baseOfVerb, isChange, isPlainWrite, mostHarmful } from './verbs.js';
import { wordsOf } from './words.js';

/** In any sentence. A negation in front makes it the opposite. */
const SAID =
  /(?<!\b(?:no|not|non|not an?|without|never an?)[ -])\b(?:write|mutating|destructive) (?:operation|action|access|tool)s?\b/i;
/** In the first sentence, where it tells what the tool is for. */
const MANAGES = /\bmanag(?:es?|ing)\b/i;
/** A verb in a list of verbs: "Get or set the language", "Used to delete files". A noun stands behind an article. */
const LISTED =
  /(?:^|\b(?:and|or|then|also|optionally|used to|allows you to|lets you)\s|[,/]\s*)(\w+)\b(?! of\b)/gi;
/**
 * Finds what says that a tool writes, whatever its name says.
 *
 * @param description the description of the tool
 * @param sentence its first sentence
 * @param schema the schema of its parameters, as the server lists it
 * @returns the words that say so; `undefined` if nothing does
 * @example
 * signOfWriting('Gets or sets the language.', 'Gets or sets the language', undefined); // 'set'
 */
export function signOfWriting(description: string, sentence: string, schema: unknown): string | undefined {
  const said = SAID.exec(description)?.[0] ?? MANAGES.exec(sentence)?.[0];
  if (said !== undefined) return said.toLowerCase();
  const listed = [...sentence.matchAll(LISTED)].map(([, word = '']) => baseOfVerb(word.toLowerCase()) ?? '');
  return listed.find(isPlainWrite) ?? mostHarmful(actionsOf(schema).filter(isChange));
}

/** @returns the verbs that a parameter such as `action` can be */
function actionsOf(schema: unknown): string[] {
  return Object.entries(membersOf(follow(schema, ['properties']))).flatMap(([name, property]) => {
    const values = follow(property, ['enum']);
    if (!isActionParameter(name) || !Array.isArray(values)) return [];
    return values.flatMap((value) =>
      typeof value === 'string' ? (baseOfVerb(wordsOf(value)[0] ?? '') ?? []) : [],
    );
  });
}
