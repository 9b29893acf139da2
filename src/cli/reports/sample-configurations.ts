import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';

/** A configuration that a person would think of, and how it is asked for. */
export interface SingleAsk {
  readonly asked: string;
  readonly configuration: Configuration;
}

/**
 * @param policy the policy
 * @param capabilities what the client can do, for rules that read it
 * @returns nothing asked for, each preset, and each value of each concern alone; of a range its bounds
 * @example
 * singleAsks(policy).map(({ asked }) => asked); // ['nothing', 'preset=safe', 'security=low', ...]
 */
export function singleAsks(policy: Policy, capabilities?: object): SingleAsk[] {
  const ask = (asked: string, concerns: object, claims = new Map<string, unknown>()): SingleAsk => ({
    asked,
    configuration: resolveConfiguration(policy, [{ from: 'request', concerns }], { claims, capabilities }),
  });
  return [
    ask('nothing', {}),
    ...[...policy.presets.keys()].map((preset) => ask(`preset=${preset}`, { preset })),
    ...policy.concerns.flatMap(({ name, values, claim }) => {
      const all = 'min' in values ? [values.min, values.max] : values;
      return all.map((value) =>
        claim === undefined
          ? ask(`${name}=${value}`, { [name]: value })
          : ask(`${name}=${value}`, {}, new Map([[claim, value]])),
      );
    }),
  ];
}
