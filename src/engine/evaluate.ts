import type { Configuration, Effective } from './configuration.js';
import { fromNumber, type Mapping } from './mapping.js';
import type { Concern, Policy } from './policy.js';

/** Whether a primitive is shown under a configuration, and why. */
export type Verdict = { readonly shown: true; readonly because: { readonly code: 'fits' } } | Hidden;

export interface Hidden {
  readonly shown: false;
  readonly because:
    | { readonly code: 'unmapped' }
    | {
        readonly code: 'concern-mismatch';
        readonly concern: string;
        /** What is in effect; nothing where an operator concern has neither claim nor default. */
        readonly wanted: readonly (string | number)[];
        readonly actual: readonly (string | number)[];
        /** Where the primitive's value was written, `file:line`. */
        readonly source: string;
      };
}

const SHOWN: Verdict = { shown: true, because: { code: 'fits' } };

/**
 * Decides about one primitive and says why. `select` decides the same for whole lists, faster and without reasons.
 *
 * @param policy the policy
 * @param mapping what the policy says of the primitive, see `mapPrimitive`
 * @param configuration what is in effect, see `resolveConfiguration`
 * @returns the verdict; of several concerns that do not fit, the first one declared
 * @example
 * evaluate(policy, mapPrimitive(policy, 'tools', { name: 'logData' }), configuration).because;
 */
export function evaluate(policy: Policy, mapping: Mapping, configuration: Configuration): Verdict {
  const index = firstMismatch(policy.concerns, mapping, configuration);
  if (index !== undefined) {
    const concern = policy.concerns[index] as Concern;
    const offer = mapping.offers[index];
    const effective = configuration.effective[index];
    const wanted =
      typeof effective === 'object' ? effective : typeof effective === 'number' ? [effective] : [];
    return {
      shown: false,
      because: {
        code: 'concern-mismatch',
        concern: concern.name,
        wanted: wanted.map((number) => fromNumber(policy, index, number)),
        actual: (offer?.offered ?? []).map((number) => fromNumber(policy, index, number)),
        source: offer?.source ?? '',
      },
    };
  }
  return !mapping.mapped && policy.settings.unmapped === 'hide'
    ? { shown: false, because: { code: 'unmapped' } }
    : SHOWN;
}

/** @returns the index of the first concern that hides the primitive; nothing if all hold */
export function firstMismatch(
  concerns: readonly Concern[],
  mapping: Pick<Mapping, 'offers'>,
  configuration: Configuration,
): number | undefined {
  for (let index = 0; index < concerns.length; index++) {
    const offered = mapping.offers[index]?.offered;
    if (offered === undefined) continue;
    if (!fits((concerns[index] as Concern).match, configuration.effective[index], offered)) return index;
  }
  return undefined;
}

function fits(match: Concern['match'], wanted: Effective, offered: readonly number[]): boolean {
  if (wanted === undefined) return true;
  if (wanted === 'denied') return false;
  if (typeof wanted === 'object') return wanted.some((each) => offered.includes(each));
  if (match === 'at-least') return offered.some((each) => each >= wanted);
  if (match === 'at-most') return offered.some((each) => each <= wanted);
  return offered.includes(wanted);
}
