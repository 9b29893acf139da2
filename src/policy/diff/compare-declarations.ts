import type { CompiledPolicy, Concern, ConcernValues } from '../../engine/policy.js';

/**
 * Compares what hosts can say to two policies, and how they are applied: everything that no primitive shows.
 *
 * @param before the old policy
 * @param after the new one
 * @returns one line for each difference
 * @example
 * compareWords(before, after); // ['security: new value critical', 'preset safe: new']
 */
export function compareWords(before: CompiledPolicy, after: CompiledPolicy): string[] {
  const old = new Map(before.concerns.map((concern) => [concern.name, concern]));
  const now = new Map(after.concerns.map((concern) => [concern.name, concern]));
  return [
    ...union(now.keys(), old.keys()).flatMap((name) => compareConcerns(name, old.get(name), now.get(name))),
    ...union(Object.keys(after.presets), Object.keys(before.presets)).flatMap((name) =>
      compareTexts(`preset ${name}`, presetText(before.presets[name]), presetText(after.presets[name])),
    ),
    ...union(Object.keys(after.settings), Object.keys(before.settings)).flatMap((name) => {
      const value = ({ settings }: CompiledPolicy) =>
        String((settings as unknown as Record<string, unknown>)[name] ?? 'unset');
      return value(before) === value(after) ? [] : [`${name}: ${value(before)} -> ${value(after)}`];
    }),
  ];
}

const union = (first: Iterable<string>, second: Iterable<string>): string[] => [
  ...new Set([...first, ...second]),
];

function compareConcerns(name: string, before: Concern | undefined, after: Concern | undefined): string[] {
  if (before === undefined && after !== undefined)
    return [`${name}: new concern, ${valuesText(after.values)}`];
  if (after === undefined || before === undefined) return [`${name}: no longer a concern`];
  const lines = compareValues(name, before.values, after.values);
  for (const [word, of] of [
    ['match', (concern: Concern) => concern.match],
    ['default', (concern: Concern) => concern.default ?? 'none'],
    ['multiple', (concern: Concern) => concern.multiple],
    ['set-by', (concern: Concern) => concern.setBy],
    ['claim', (concern: Concern) => concern.claim ?? 'none'],
  ] as const) {
    if (of(before) !== of(after)) lines.push(`${name}: ${word} ${of(before)} -> ${of(after)}`);
  }
  return lines;
}

function compareValues(name: string, before: ConcernValues, after: ConcernValues): string[] {
  if ('min' in before || 'min' in after) {
    const [old, now] = [valuesText(before), valuesText(after)];
    return old === now ? [] : [`${name}: ${old} -> ${now}`];
  }
  const added = after.filter((value) => !before.includes(value));
  const gone = before.filter((value) => !after.includes(value));
  const kept = (values: readonly string[], others: readonly string[]) =>
    values.filter((value) => others.includes(value)).join(', ');
  const moved = kept(before, after) !== kept(after, before);
  return [
    ...(added.length === 0 ? [] : [`${name}: new value ${added.join(', ')}`]),
    ...(gone.length === 0 ? [] : [`${name}: no longer a value ${gone.join(', ')}`]),
    ...(moved ? [`${name}: order is now ${after.join(', ')}`] : []),
  ];
}

function compareTexts(what: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  if (before === undefined) return [`${what}: new, ${after || 'asks for nothing'}`];
  return [after === undefined ? `${what}: gone` : `${what}: ${before || 'nothing'} -> ${after || 'nothing'}`];
}

const valuesText = (values: ConcernValues): string =>
  'min' in values ? `${values.min} to ${values.max}` : values.join(', ');

function presetText(preset: CompiledPolicy['presets'][string] | undefined): string | undefined {
  if (preset === undefined) return undefined;
  return Object.entries(preset)
    .map(([name, value]) => `${name}=${[value].flat().join(',')}`)
    .join(' ');
}
