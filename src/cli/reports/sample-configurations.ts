import { withClaim } from '../../core/engine/claims.js';
import { type Caller, type Configuration, resolveConfiguration } from '../../core/engine/configuration.js';
import type { Policy } from '../../core/engine/policy.js';

/** How reports name the configuration of a host that sends no preferences. */
export const NO_PREFERENCES = 'nothing';

/** A configuration that reports show, and what a host sends for it. */
export interface SampleConfiguration {
  /** One preference such as `preset=safe`, or `NO_PREFERENCES`. */
  readonly preferences: string;
  readonly configuration: Configuration;
}

/**
 * @param policy the policy
 * @param capabilities the client capabilities, for rules that read them
 * @returns the configurations for no preferences, for each preset, and for each single value; for a range its bounds
 * @example
 * sampleConfigurations(policy).map(({ preferences }) => preferences); // ['nothing', 'preset=safe', 'security=low', ...]
 */
export function sampleConfigurations(policy: Policy, capabilities?: object): readonly SampleConfiguration[] {
  const known: Caller = { capabilities, era: 'legacy' };
  const sample = (preferences: string, concerns: object, caller = known): SampleConfiguration => ({
    preferences,
    configuration: resolveConfiguration(policy, [{ from: 'request', concerns }], caller),
  });
  return [
    sample(NO_PREFERENCES, {}),
    ...[...policy.presets.keys()].map((preset) => sample(`preset=${preset}`, { preset })),
    ...policy.concerns.flatMap((concern) => {
      const { name, values, claim } = concern;
      const all = 'min' in values ? [values.min, values.max] : values;
      return all.map((value) =>
        claim === undefined
          ? sample(`${name}=${value}`, { [name]: value })
          : sample(`${name}=${value}`, {}, withClaim(known, concern, [value])),
      );
    }),
  ];
}
