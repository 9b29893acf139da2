import type { RuleData } from './expression/evaluate.js';
import type { Policy } from './policy.js';
import type { ConcernWarning, InvalidValue, Origin, PreferredValue } from './preference-source.js';

/**
 * The value in effect for one concern. `denied` matches no primitive that has a value for the concern: an operator
 * concern that no claim and no default gives a value, or a forgotten preference.
 */
export type EffectiveValue = PreferredValue | 'denied' | undefined;

/**
 * The resolved values in effect for one request, and the policy that they belong to. Lists have one item per concern of
 * the policy.
 */
export interface Configuration {
  readonly policy: Policy;
  readonly effective: readonly EffectiveValue[];
  /** Where each effective value comes from; `undefined` for concerns without one. */
  readonly origins: readonly (Origin | undefined)[];
  /** The host's accepted preferences, without defaults and claims; `null` if the host prefers no value. */
  readonly accepted: readonly (PreferredValue | null | undefined)[];
  /**
   * The host concerns for which a value was sent, but none was accepted. A preset that the policy does not declare could
   * have set each of them.
   */
  readonly notAccepted: readonly string[];
  /** If two configurations of one policy have the same key, every decision is the same under both. */
  readonly key: string;
  /** Whether any concern has an effective value. If none has, no concern can hide anything. */
  readonly active: boolean;
  readonly warnings: readonly ConcernWarning[];
  readonly invalid: readonly InvalidValue[];
  /** What rules read in addition to the primitive. */
  readonly data: RuleData;
  /**
   * The same with the values of the model for concerns with `model: narrow`, if there are any. A primitive is shown only if
   * both show it.
   */
  readonly narrowed?: Configuration;
  /** The tools that a model added. `configurationFor` returns what decides about them. */
  readonly added?: { readonly names: ReadonlySet<string>; readonly open: Configuration };
  /** The tools that a person switched one by one. `configurationFor` returns what decides about them. */
  readonly switched?: {
    readonly shown: ReadonlySet<string>;
    readonly hidden: ReadonlySet<string>;
    readonly open: Configuration;
    readonly closed: Configuration;
  };
  /** Set for what decides about a tool that the person hid. */
  readonly isOff?: true;
  /** What decides about lists under `lists: stable`. See `listedUnder`. */
  readonly listed?: Configuration;
}
