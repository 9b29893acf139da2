import { fromNumbers } from '../../core/engine/mapping.js';
import type { Kind } from '../../core/engine/policy.js';
import type { TestResult, Wrong } from '../../core/policy/testing/run-tests.js';
import { reasonInWords } from './reason-words.js';

/** What a failed test expects otherwise of one kind of primitives, in a sentence. */
export interface Mismatch {
  readonly kind: Kind;
  readonly message: string;
}

/** A reason in words, and the line of the policy that it is about; an empty text if it is about none. */
export interface PlacedReason {
  readonly reason: string;
  readonly source: string;
}

/**
 * Says what a failed test expects otherwise, for JUnit and for editors.
 *
 * @param result the result of a test
 * @returns a sentence for each count, then for each primitive
 * @example
 * mismatchesOf(result)[0]?.message; // 'tools: 9 shown, 8 expected'
 */
export function mismatchesOf(result: TestResult): readonly Mismatch[] {
  const counts = result.counts.map(({ kind, expected, actual }) => ({
    kind,
    message: `${kind}: ${actual} shown, ${expected} expected`,
  }));
  const wrong = result.wrong.map((each) => {
    const { kind, name, expected } = each;
    const is = expected === 'shown' ? 'hidden' : 'shown';
    const { reason, source } = reasonOf(result, each);
    const place = source === '' ? '' : ` (${source})`;
    return { kind, message: `${kind} ${name} is ${is}, but ${expected} was expected: ${reason}${place}` };
  });
  return [...counts, ...wrong];
}

/**
 * @param result the result of a test
 * @param wrong a primitive that the test expects otherwise
 * @returns why it is shown or hidden, and the line of the policy that decides it
 * @example
 * reasonOf(result, wrong).reason; // 'its security is low, but high is in effect'
 */
export function reasonOf({ configuration }: TestResult, { decision, mapping }: Wrong): PlacedReason {
  const { policy, effective } = configuration;
  const { reason: why } = decision;
  if (why.code !== 'fits')
    return {
      reason: reasonInWords(policy, why, decision.effect === 'show'),
      source: 'source' in why ? why.source : '',
    };
  if (!mapping.mapped)
    return { reason: 'the policy does not map it, and settings.unmapped is show', source: '' };
  const fitting = policy.concerns.flatMap((concern, index) => {
    if (effective[index] === undefined) return [];
    const { offered, source = '' } = mapping.offers[index] ?? {};
    const text =
      offered === undefined
        ? `no ${concern.name}`
        : `${concern.name}=${fromNumbers(concern, offered).join(',')}`;
    return [{ text, source }];
  });
  const source = fitting.find((each) => each.source !== '')?.source ?? '';
  if (fitting.length === 0) return { reason: 'no preference is in effect', source };
  return { reason: `matches: ${fitting.map(({ text }) => text).join(', ')}`, source };
}
