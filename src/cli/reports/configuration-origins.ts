import type { Policy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import { read } from '../../wire/messages.js';
import type { CallerConfiguration, PreferenceValues } from '../options/preferences.js';

/** For each concern, where its value in effect comes from: an option, or a line of the policy. */
export type Origins = ReadonlyMap<string, string>;

/**
 * @param policy the policy
 * @param paths the files of the policy
 * @param values the preferences and claims of the command line
 * @param resolved the configuration that they lead to
 * @returns for each concern with a value in effect, where the value comes from
 * @example
 * originsOf(policy, ['policies/vault.yaml'], { concern: ['preset=safe'] }, resolved).get('access');
 */
export function originsOf(
  policy: Policy,
  paths: readonly string[],
  values: PreferenceValues,
  { configuration }: CallerConfiguration,
): Origins {
  const isGiven = (name: string) => values.concern?.some((text) => text.startsWith(`${name}=`)) === true;
  const origins = new Map<string, string>();
  const inPolicy: { name: string; path: string[]; what: string }[] = [];
  policy.concerns.forEach(({ name }, index) => {
    const origin = configuration.origins[index] ?? '';
    const [from, , preset] = origin.split(' ');
    if (configuration.effective[index] === undefined) return;
    if (configuration.effective[index] === 'denied') origins.set(name, origin);
    else if (isGiven(name)) origins.set(name, '--concern');
    else if (from === 'claim') {
      origins.set(name, values.claims === undefined ? '--claim' : '--claims');
    } else if (preset !== undefined) {
      const what = from === 'client' ? `default of this client, preset ${preset}` : `preset ${preset}`;
      inPolicy.push({ name, path: ['presets', preset, name], what });
    } else inPolicy.push({ name, path: ['concerns', name, 'default'], what: 'default' });
  });
  // The policy is read again, for line numbers, only if a default or a preset is in effect.
  if (inPolicy.length === 0) return origins;
  const sources = [...readPolicy(paths).texts].map(([file, text]) => readPolicyText(text, file));
  for (const { name, path, what } of inPolicy) {
    const [section = '', key = ''] = path;
    const file = sources.find(({ data }) => read(data, section, key) !== undefined);
    const place = file === undefined ? '' : ` (${file.file}:${file.locate(path).line})`;
    origins.set(name, `${what}${place}`);
  }
  return origins;
}
