import { type Left, someOf } from './left.js';
import { isWildcard, PLAIN, type PolicyArgument, prefixOf } from './tool-uses.js';
import type { Scalar } from './use-name.js';

/** Stands for what no name is about: no policy has this character. */
export const UNNAMED = '\u0000';
/** Stands for what may follow a prefix. */
export const REST = 'zq7x0zq7x0';

/** Whether a text was made up to stand for others. */
export const isInvented = (value: Scalar): boolean =>
  typeof value === 'string' && (value.startsWith(UNNAMED) || value.includes(REST));

/**
 * Computes what is left of a free text. Every text is one that is named, begins with a prefix that is named, or is like all
 * others.
 *
 * @param argument what the policy says about it
 * @param isNullable whether a call may send null
 * @param compared the texts that rules compare with it
 * @param isShown decides about one value
 */
export function textsLeft(
  { valued }: PolicyArgument,
  isNullable: boolean,
  compared: readonly string[],
  isShown: (value: Scalar) => boolean,
): Left {
  const { prefixes, named, after, unnamed } =
    compared.length === 0 ? samplesOf(valued) : namedTexts(valued, compared);
  const kept = named.filter(isShown);
  const keptPrefixes = prefixes.filter((_prefix, at) => isShown(after[at] ?? UNNAMED));
  const isNullShown = isNullable && isShown(null);
  if (isShown(unnamed)) {
    const isAll =
      kept.length === named.length && keptPrefixes.length === prefixes.length && isNullShown === isNullable;
    return { values: { type: 'all' }, isExact: isAll };
  }
  const nulls = isNullShown ? [null] : [];
  if (keptPrefixes.length === 0) {
    return { values: someOf([...kept, ...nulls]), isExact: true };
  }
  const parts = [...kept.map(escaped), ...keptPrefixes.map((prefix) => `${escaped(prefix)}${PLAIN}`)];
  const isCut =
    named.some((each) => !kept.includes(each) && keptPrefixes.some((prefix) => each.startsWith(prefix))) ||
    prefixes.some(
      (each) => !keptPrefixes.includes(each) && keptPrefixes.some((prefix) => each.startsWith(prefix)),
    );
  const values = { type: 'texts', pattern: `^(?:${parts.join('|')})$`, orNull: isNullShown } as const;
  return { values, isExact: !isCut };
}

/** The texts that a policy tells apart. */
interface NamedTexts {
  readonly prefixes: readonly string[];
  /** What is named, or compared, or a prefix alone: where it ends with a slash, a shorter prefix is not about it. */
  readonly named: readonly string[];
  /** For each prefix a text that begins with it and is not named. */
  readonly after: readonly string[];
  /** A text that stands for all others. */
  readonly unnamed: string;
}

const known = new WeakMap<PolicyArgument['valued'], NamedTexts>();

/** The texts that names alone tell apart, which are the same for every caller. */
function samplesOf(valued: PolicyArgument['valued']): NamedTexts {
  const found = known.get(valued) ?? namedTexts(valued, []);
  known.set(valued, found);
  return found;
}

function namedTexts(valued: PolicyArgument['valued'], compared: readonly string[]): NamedTexts {
  const prefixes = [...new Set(valued.flatMap((each) => (isWildcard(each) ? (prefixOf(each) ?? []) : [])))];
  const exact = valued.flatMap((each) =>
    isWildcard(each) || (each.isPattern && each.value === '*') ? [] : [each.value],
  );
  const named = [...new Set([...exact, ...compared, ...prefixes])];
  const after = prefixes.map((prefix) => unlike(named, `${prefix}${REST}`, '0'));
  return { prefixes, named, after, unnamed: unlike(named, UNNAMED, UNNAMED) };
}

/** @returns a text that is not one of these */
function unlike(named: readonly string[], text: string, more: string): string {
  return named.includes(text) ? unlike(named, `${text}${more}`, more) : text;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
