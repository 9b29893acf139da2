import { claimName } from '../../engine/claims.js';
import type { CompiledPolicy, Concern, ConcernValues } from '../../engine/policy.js';

/**
 * Compares the declarations of two policies: their concerns, presets and settings. Hosts see these even if they change
 * no primitive.
 *
 * @param before the old policy
 * @param after the new policy
 * @returns one line of text for each difference
 * @example
 * compareDeclarations(before, after); // ['security: new value critical', 'preset safe: new']
 */
export function compareDeclarations(before: CompiledPolicy, after: CompiledPolicy): string[] {
  const old = new Map(before.concerns.map((concern) => [concern.name, concern]));
  const now = new Map(after.concerns.map((concern) => [concern.name, concern]));
  return [
    ...union(now.keys(), old.keys()).flatMap((name) => compareConcerns(name, old.get(name), now.get(name))),
    ...union(Object.keys(after.presets), Object.keys(before.presets)).flatMap((name) =>
      comparePresets(name, presetText(before.presets[name]), presetText(after.presets[name])),
    ),
    ...union(settingsOf(after).keys(), settingsOf(before).keys()).flatMap((name) => {
      const value = (policy: CompiledPolicy) => String(settingsOf(policy).get(name) ?? 'unset');
      return value(before) === value(after) ? [] : [`${name}: ${value(before)} -> ${value(after)}`];
    }),
  ];
}

/** Which clients get which defaults is stated beside the settings: no configuration that is compared has a client. */
function settingsOf({ settings, defaultsFor }: CompiledPolicy): ReadonlyMap<string, unknown> {
  const clients = defaultsFor?.map(({ when, preset }) => `${preset} for ${Object.values(when).join(' ')}`);
  return new Map(Object.entries({ ...settings, 'defaults-for': clients?.join(', ') }));
}

const union = (first: Iterable<string>, second: Iterable<string>): string[] => [
  ...new Set([...first, ...second]),
];

function compareConcerns(name: string, before: Concern | undefined, after: Concern | undefined): string[] {
  if (before === undefined && after !== undefined)
    return [`${name}: new concern, ${valuesText(after.values)}`];
  if (after === undefined || before === undefined) return [`${name}: no longer a concern`];
  const lines = [
    ...compareValues(name, before.values, after.values),
    ...compareDescriptions(name, before, after),
  ];
  for (const [key, read] of [
    ['match', (concern: Concern) => concern.match],
    ['default', (concern: Concern) => concern.default ?? 'none'],
    ['multiple', (concern: Concern) => concern.multiple],
    ['set-by', (concern: Concern) => concern.setBy],
    ['claim', ({ claim }: Concern) => (claim === undefined ? 'none' : claimName(claim))],
    ['obtainable', (concern: Concern) => concern.obtainable ?? false],
    ['claim-values', ({ claimValues }: Concern) => (claimValues ? JSON.stringify(claimValues) : 'none')],
    ['lists', (concern: Concern) => concern.lists ?? 'filter'],
    ['model', (concern: Concern) => concern.model ?? 'none'],
  ] as const) {
    const [old, now] = [read(before), read(after)];
    if (old !== now) lines.push(`${name}: ${key} ${old} -> ${now}`);
  }
  return lines;
}

function compareValues(name: string, before: ConcernValues, after: ConcernValues): string[] {
  if ('min' in before || 'min' in after) {
    const [old, now] = [valuesText(before), valuesText(after)];
    return old === now ? [] : [`${name}: ${old} -> ${now}`];
  }
  const added = after.filter((value) => !before.includes(value));
  const removed = before.filter((value) => !after.includes(value));
  const inBoth = (values: readonly string[], others: readonly string[]) =>
    values.filter((value) => others.includes(value)).join(', ');
  const isReordered = inBoth(before, after) !== inBoth(after, before);
  return [
    ...(added.length === 0 ? [] : [`${name}: new value ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`${name}: no longer a value ${removed.join(', ')}`]),
    ...(isReordered ? [`${name}: order is now ${after.join(', ')}`] : []),
  ];
}

/** Hosts show the descriptions of values to the people who choose. */
function compareDescriptions(name: string, before: Concern, after: Concern): string[] {
  const [old, now] = [before, after].map(
    ({ valueDescriptions }) => new Map(Object.entries(valueDescriptions ?? {})),
  );
  const changed =
    'min' in after.values ? [] : after.values.filter((value) => old?.get(value) !== now?.get(value));
  return changed.length === 0 ? [] : [`${name}: new description of ${changed.join(', ')}`];
}

function comparePresets(name: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  if (before === undefined) return [`preset ${name}: new, ${after || 'sets no concern'}`];
  if (after === undefined) return [`preset ${name}: removed`];
  return [`preset ${name}: ${before || 'no concern'} -> ${after || 'no concern'}`];
}

const valuesText = (values: ConcernValues): string =>
  'min' in values ? `${values.min} to ${values.max}` : values.join(', ');

function presetText(preset: CompiledPolicy['presets'][string] | undefined): string | undefined {
  if (preset === undefined) return undefined;
  return Object.entries(preset)
    .map(([name, value]) => `${name}=${[value].flat().join(',')}`)
    .join(' ');
}
