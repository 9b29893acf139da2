import { fits } from '../../engine/evaluate.js';
import { fromNumber } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';
import type { Paired } from './pairs.js';
import { type AskedDimension, type Choice, configurePair } from './request-space.js';

/** What matters for a primitive of all that can be asked for. */
export class Relevance {
  /**
   * @param policies the two policies
   * @param dimensions all that can be asked for
   */
  constructor(
    private readonly policies: readonly [Policy, Policy],
    readonly dimensions: readonly AskedDimension[],
  ) {}

  /** Defaults of `aware` apply once a host asked for anything: that it asked for something else matters then. */
  spokenDimension(first: Paired, tried: readonly AskedDimension[]): AskedDimension | undefined {
    const aware = this.policies.some(
      (policy) =>
        policy.settings.defaults === 'aware' &&
        tried.some(({ by, name }) => by === 'host' && concernOf(policy, name)?.default !== undefined),
    );
    if (!aware) return undefined;
    for (const dimension of this.dimensions) {
      if (dimension.by !== 'host' || tried.includes(dimension)) continue;
      const choice = dimension.choices.find((each) => this.isInnocent(first, dimension, each));
      if (choice === undefined) continue;
      const { name, key } = dimension;
      return { by: 'spoken', name, key, choices: [{}, { text: 'else', value: choice.value }] };
    }
    return undefined;
  }

  /** Whether both policies take it, and neither hides the primitive for it. */
  private isInnocent({ mappings }: Paired, dimension: AskedDimension, choice: Choice): boolean {
    const pair = configurePair(this.policies, [[dimension, choice]]);
    return this.policies.every(({ concerns, indexOf }, at) => {
      const index = indexOf.get(dimension.name) ?? -1;
      const concern = concerns[index];
      const asked = pair[at]?.accepted[index];
      if (concern === undefined || asked === undefined || asked === null) return false;
      const offered = mappings[at]?.offers[index]?.offered;
      return offered === undefined || fits(concern.match, asked, offered);
    });
  }

  /** Whether a host that does not ask may have something in effect. */
  hasDefault({ name }: AskedDimension): boolean {
    return this.policies.some((policy) => concernOf(policy, name)?.default !== undefined);
  }

  isRelevant({ kind, mappings }: Paired, { by, name, key }: AskedDimension): boolean {
    return this.policies.some((policy, at) => {
      const rules = policy.rules.filter(({ kinds }) => kinds.includes(kind));
      if (mappings[at] === undefined) return false;
      if (by === 'fact') return rules.some(({ paths }) => paths.includes(`claims.${key}`));
      const index = policy.indexOf.get(name);
      const setBy = by === 'host' ? 'host' : 'operator';
      if (index === undefined || policy.concerns[index]?.setBy !== setBy) return false;
      return (
        mappings[at].offers[index] !== undefined ||
        rules.some(({ paths }) => paths.includes(`concerns.${name}`))
      );
    });
  }

  /** Whether a concern does nothing but hide what does not fit. */
  isFilter({ kind }: Paired, { by, name }: AskedDimension): boolean {
    if (by === 'fact' || by === 'spoken') return false;
    return !this.policies.some(({ rules }) =>
      rules.some(({ kinds, paths }) => kinds.includes(kind) && paths.includes(`concerns.${name}`)),
    );
  }

  /** Whether a concern means the same for a primitive as before, and hides it as before. */
  isUntouched(paired: Paired, dimension: AskedDimension): boolean {
    const { mappings } = paired;
    if (mappings.includes(undefined) || !this.isFilter(paired, dimension)) return false;
    const [before, after] = this.policies.map((policy, at) => {
      const index = policy.indexOf.get(dimension.name) ?? -1;
      const { description: _, ...concern } = policy.concerns[index] ?? {};
      const offered = mappings[at]?.offers[index]?.offered.map((each) => fromNumber(policy, index, each));
      return JSON.stringify([concern, offered?.toSorted()]);
    });
    return before === after;
  }
}

const concernOf = (policy: Policy, name: string) => policy.concerns[policy.indexOf.get(name) ?? -1];
