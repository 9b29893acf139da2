import { resolveConfiguration } from '../../engine/configuration.js';
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
  { configuration, caller }: CallerConfiguration,
): Origins {
  const names = (given: readonly string[] = []) => given.map((text) => text.slice(0, text.indexOf('=')));
  const concerns = new Set(names(values.concern));
  const claims = new Set(names(values.claim));
  const preset = values.concern?.find((text) => text.startsWith('preset='))?.slice('preset='.length);
  // An invalid claim leaves the default in effect. Without defaults, only valid claims have an effect.
  const bare = { ...policy, concerns: policy.concerns.map(({ default: _default, ...rest }) => rest) };
  const { effective: claimed } = resolveConfiguration(bare, [], caller);
  const origins = new Map<string, string>();
  const inPolicy: { name: string; path: string[]; what: string }[] = [];
  policy.concerns.forEach(({ name, claim }, index) => {
    const effective = configuration.effective[index];
    if (effective === undefined || effective === 'denied') return;
    if (concerns.has(name)) origins.set(name, '--concern');
    else if (claim !== undefined && claims.has(claim) && claimed[index] !== 'denied') {
      origins.set(name, '--claim');
    } else if (preset !== undefined && policy.presets.get(preset)?.has(name)) {
      inPolicy.push({ name, path: ['presets', preset, name], what: `preset ${preset}` });
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
