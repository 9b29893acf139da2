import { resolveConfiguration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import { readPolicy } from '../../policy/compile/load.js';
import { readPolicyText } from '../../policy/language/read-yaml.js';
import type { Asked, AskValues } from '../options/preferences.js';

/** Where what is in effect for each concern comes from: an option, or a line of the policy. */
export type Origins = ReadonlyMap<string, string>;

/**
 * @param policy the policy
 * @param paths the policy's files
 * @param values what was given on the command line
 * @param asked what came of it
 * @returns for each concern with an effective value where that comes from
 * @example
 * originsOf(policy, ['policies/vault.yaml'], { concern: ['preset=safe'] }, asked).get('access');
 */
export function originsOf(
  policy: Policy,
  paths: readonly string[],
  values: AskValues,
  { configuration, caller }: Asked,
): Origins {
  const names = (given: readonly string[] = []) => given.map((text) => text.slice(0, text.indexOf('=')));
  const concerns = new Set(names(values.concern));
  const claims = new Set(names(values.claim));
  const preset = values.concern?.find((text) => text.startsWith('preset='))?.slice('preset='.length);
  // A claim that is none of the values leaves the default in effect: without defaults nothing would be.
  const bare = { ...policy, concerns: policy.concerns.map(({ default: _default, ...rest }) => rest) };
  const { effective: claimed } = resolveConfiguration(bare, [], caller);
  const origins = new Map<string, string>();
  const written: { name: string; path: string[]; what: string }[] = [];
  policy.concerns.forEach(({ name, claim }, index) => {
    const effective = configuration.effective[index];
    if (effective === undefined || effective === 'denied') return;
    if (concerns.has(name)) origins.set(name, '--concern');
    else if (claim !== undefined && claims.has(claim) && claimed[index] !== 'denied') {
      origins.set(name, '--claim');
    } else if (preset !== undefined && policy.presets.get(preset)?.has(name)) {
      written.push({ name, path: ['presets', preset, name], what: `preset ${preset}` });
    } else written.push({ name, path: ['concerns', name, 'default'], what: 'default' });
  });
  // Only policies of which a default or a preset is in effect are read again, for its line.
  if (written.length === 0) return origins;
  const sources = [...readPolicy(paths).texts].map(([file, text]) => readPolicyText(text, file));
  for (const { name, path, what } of written) {
    const [section = '', key = ''] = path;
    const source = sources.find(({ data }) => own(own(data, section), key) !== undefined);
    const place = source === undefined ? '' : ` (${source.file}:${source.locate(path).line})`;
    origins.set(name, `${what}${place}`);
  }
  return origins;
}

function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
