import { type Bounds, inIntegers, type NumberDomain } from './domain.js';
import { type Left, someOf } from './left.js';
import type { Scalar } from './use-name.js';

/**
 * Computes what is left of a number. All numbers between two marks are alike.
 *
 * @param domain the numbers that the schema allows
 * @param marks the numbers that names and rules tell apart. One that is not an integer divides integers, too.
 * @param isShown decides about one number
 */
export function numbersLeft(
  domain: NumberDomain,
  marks: readonly number[],
  isShown: (value: Scalar) => boolean,
): Left {
  const sampled = partsOf(domain, marks).flatMap((part) => {
    const value = sampleOf(part, domain.isInteger);
    return value === undefined ? [] : [{ part, isShown: isShown(value) }];
  });
  const kept = sampled.filter((each) => each.isShown);
  const orNull = domain.isNullable && isShown(null);
  const [first, last] = [kept[0], kept.at(-1)];
  if (first === undefined || last === undefined)
    return { values: someOf(orNull ? [null] : []), isExact: true };
  if (kept.length === sampled.length && orNull === domain.isNullable)
    return { values: { type: 'all' }, isExact: true };
  const range = {
    min: first.part.min,
    isMinOut: first.part.isMinOut,
    max: last.part.max,
    isMaxOut: last.part.isMaxOut,
  };
  const isOne = sampled.indexOf(last) - sampled.indexOf(first) + 1 === kept.length;
  const bounds = domain.isInteger ? inIntegers(range) : range;
  return { values: { type: 'range', ...bounds, orNull }, isExact: isOne };
}

/** @returns the marks, and what lies between them, from the least */
function partsOf({ min, max, isMinOut, isMaxOut }: Bounds, marks: readonly number[]): readonly Bounds[] {
  const within = [...new Set(marks)].filter((each) => Number.isFinite(each) && each >= min && each <= max);
  const parts: Bounds[] = [];
  let from = { min, isMinOut };
  for (const mark of within.sort((a, b) => a - b)) {
    const isOut = (mark === min && isMinOut) || (mark === max && isMaxOut);
    parts.push({ ...from, max: mark, isMaxOut: true });
    parts.push({ min: mark, isMinOut: isOut, max: mark, isMaxOut: isOut });
    from = { min: mark, isMinOut: true };
  }
  return [...parts, { ...from, max, isMaxOut }];
}

/** @returns a number between bounds; `undefined` if there is none */
function sampleOf(bounds: Bounds, isInteger: boolean): number | undefined {
  const { min, max, isMinOut, isMaxOut } = isInteger ? inIntegers(bounds) : bounds;
  if (min > max || (min === max && (isMinOut || isMaxOut))) return undefined;
  if (min === max) return min;
  // An integer, so that the sample is one of the numbers that calls may send.
  if (min === -Infinity) return max === Infinity ? 0 : max - 1;
  if (max === Infinity) return min + 1;
  return isInteger ? min : min + (max - min) / 2;
}
