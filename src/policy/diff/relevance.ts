import { fits } from '../../engine/evaluate.js';
import { fromNumber } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';
import type { PrimitivePair } from './primitive-pairs.js';
import { type Choice, concernOf, configurePair, type RequestDimension } from './request-space.js';

/** Tells which dimensions of the request space make a difference to a primitive. */
export class Relevance {
  /**
   * @param policies the old and the new policy
   * @param dimensions all dimensions of the request space
   */
  constructor(
    private readonly policies: readonly [Policy, Policy],
    readonly dimensions: readonly RequestDimension[],
  ) {}

  /**
   * With `defaults: aware`, defaults apply as soon as a host requests any concern. This returns a dimension for "the host
   * requests another concern, which has no effect of its own", if that makes a difference to the primitive.
   */
  otherConcernDimension(
    first: PrimitivePair,
    tried: readonly RequestDimension[],
  ): RequestDimension | undefined {
    const aware = this.policies.some(
      (policy) =>
        policy.settings.defaults === 'aware' &&
        tried.some(({ type, name }) => type === 'host' && concernOf(policy, name)?.default !== undefined),
    );
    if (!aware) return undefined;
    for (const dimension of this.dimensions) {
      if (dimension.type !== 'host' || tried.includes(dimension)) continue;
      const choice = dimension.choices.find((each) => this.hidesInNeither(first, dimension, each));
      if (choice === undefined) continue;
      const { name, key } = dimension;
      return { type: 'other-concern', name, key, choices: [{}, { text: 'else', value: choice.value }] };
    }
    return undefined;
  }

  /** Whether both policies accept the choice and neither hides the primitive because of it. */
  private hidesInNeither({ mappings }: PrimitivePair, dimension: RequestDimension, choice: Choice): boolean {
    const pair = configurePair(this.policies, [[dimension, choice]]);
    return this.policies.every((policy, at) => {
      const index = policy.indexOf.get(dimension.name) ?? -1;
      const accepted = pair[at]?.accepted[index];
      if (accepted === undefined || accepted === null) return false;
      const offered = mappings[at]?.offers[index]?.offered;
      return offered === undefined || fits(policy, index, accepted, offered);
    });
  }

  /** Whether either policy has a default for the concern, which can be in effect without a request. */
  hasDefault({ name }: RequestDimension): boolean {
    return this.policies.some((policy) => concernOf(policy, name)?.default !== undefined);
  }

  /** Whether the primitive has values for the dimension, or a rule about its kind reads it, in either policy. */
  isRelevant({ kind, mappings }: PrimitivePair, { type, name, key }: RequestDimension): boolean {
    return this.policies.some((policy, at) => {
      const rules = policy.rules.filter(({ kinds }) => kinds.includes(kind));
      if (mappings[at] === undefined) return false;
      if (type === 'fact') return rules.some(({ paths }) => paths.includes(`claims.${key}`));
      const index = policy.indexOf.get(name);
      const setBy = type === 'host' ? 'host' : 'operator';
      if (index === undefined || policy.concerns[index]?.setBy !== setBy) return false;
      return (
        mappings[at].offers[index] !== undefined ||
        rules.some(({ paths }) => paths.includes(`concerns.${name}`))
      );
    });
  }

  /** Whether the concern only hides primitives whose values do not match: no rule about the kind reads it. */
  isFilter({ kind }: PrimitivePair, { type, name }: RequestDimension): boolean {
    if (type === 'fact' || type === 'other-concern') return false;
    return !this.policies.some(({ rules }) =>
      rules.some(({ kinds, paths }) => kinds.includes(kind) && paths.includes(`concerns.${name}`)),
    );
  }

  /** Whether the concern and the values of the primitive for it are the same in both policies. */
  isUnchanged(pair: PrimitivePair, dimension: RequestDimension): boolean {
    const { mappings } = pair;
    if (mappings.includes(undefined) || !this.isFilter(pair, dimension)) return false;
    const [before, after] = this.policies.map((policy, at) => {
      const index = policy.indexOf.get(dimension.name) ?? -1;
      const own = policy.concerns[index];
      const { description: _, valueDescriptions: __, ...concern } = own ?? {};
      const offered = own && mappings[at]?.offers[index]?.offered.map((each) => fromNumber(own, each));
      return JSON.stringify([concern, offered?.toSorted()]);
    });
    return before === after;
  }
}
