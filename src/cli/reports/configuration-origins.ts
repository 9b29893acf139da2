import { describeOrigins } from '../../core/engine/configuration.js';
import { readPolicy } from '../../core/policy/compile/load.js';
import { readPolicyText, type Source } from '../../core/policy/language/read-yaml.js';
import { read } from '../../core/wire/messages.js';
import { type CallerConfiguration, type PreferenceValues, statedConcerns } from '../options/preferences.js';

/** For each concern, where its value in effect comes from: an option, or a line of the policy. */
export type Origins = ReadonlyMap<string, string>;

/**
 * @param paths the files of the policy
 * @param values the preferences and claims of the command line
 * @param resolved the configuration that they lead to
 * @returns for each concern with a value in effect, where the value comes from
 * @example
 * originsOf(['policies/vault.yaml'], { concern: ['preset=safe'] }, resolved).get('access');
 */
export function originsOf(
  paths: readonly string[],
  values: PreferenceValues,
  { configuration }: CallerConfiguration,
): Origins {
  const stated = statedConcerns(configuration.policy, values);
  let sources: readonly Source[] | undefined;
  const inPolicy = (what: string, ...path: [section: string, key: string, name: string]): string => {
    // The policy is read again, for line numbers, only if a default or a preset is in effect.
    sources ??= [...readPolicy(paths).texts].map(([file, text]) => readPolicyText(text, file));
    const [section, key] = path;
    const file = sources.find(({ data }) => read(data, section, key) !== undefined);
    return file === undefined ? what : `${what} (${file.file}:${file.locate(path).line})`;
  };
  const told = Object.entries(describeOrigins(configuration)).map(([name, origin]) => {
    const [from, , preset] = origin.split(' ');
    if (stated.has(name)) return [name, '--concern'] as const;
    if (from === 'claim') return [name, values.claims === undefined ? '--claim' : '--claims'] as const;
    if (from === 'default') return [name, inPolicy('default', 'concerns', name, 'default')] as const;
    if (preset === undefined) return [name, origin] as const;
    const what = from === 'client' ? `default of this client, preset ${preset}` : `preset ${preset}`;
    return [name, inPolicy(what, 'presets', preset, name)] as const;
  });
  return new Map(told);
}
