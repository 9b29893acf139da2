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
  const concernsOf = ({ concerns }: CompiledPolicy) => new Map(concerns.map((each) => [each.name, each]));
  return [
    ...paired(concernsOf(before), concernsOf(after)).flatMap(([name, old, now]) => {
      if (now === undefined) return [`${name}: no longer a concern`];
      return old === undefined
        ? [`${name}: new concern, ${valuesText(now.values)}`]
        : compareConcerns(old, now);
    }),
    ...paired(presetsOf(before), presetsOf(after)).flatMap(([name, old, now]) => {
      if (now === undefined) return [`preset ${name}: removed`];
      if (old === undefined) return [`preset ${name}: new, ${now || 'sets no concern'}`];
      return old === now ? [] : [`preset ${name}: ${old || 'no concern'} -> ${now || 'no concern'}`];
    }),
    ...changedTexts(settingsOf(before), settingsOf(after)),
  ];
}

/** @returns what two maps have under each name, in the order of the second one */
function paired<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>) {
  const names = new Set([...after.keys(), ...before.keys()]);
  return [...names].map((name) => [name, before.get(name), after.get(name)] as const);
}

const changedTexts = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  paired(before, after).flatMap(([name, old = 'unset', now = 'unset']) =>
    old === now ? [] : [`${name} ${old} -> ${now}`],
  );

/** Which clients get which defaults is stated beside the settings: no configuration that is compared has a client. */
function settingsOf({ settings, defaultsFor }: CompiledPolicy): ReadonlyMap<string, string> {
  const clients = defaultsFor?.map(({ when, preset }) => `${preset} for ${Object.values(when).join(' ')}`);
  const all = Object.entries({ ...settings, 'defaults-for': clients?.join(', ') });
  return new Map(all.flatMap(([name, value]) => (value === undefined ? [] : [[`${name}:`, String(value)]])));
}

function presetsOf({ presets }: CompiledPolicy): ReadonlyMap<string, string> {
  const textOf = (preset: object) =>
    Object.entries(preset).map(([name, value]) => `${name}=${[value].flat().join(',')}`);
  return new Map(Object.entries(presets).map(([name, preset]) => [name, textOf(preset).join(' ')]));
}

const compareConcerns = (before: Concern, after: Concern): string[] => [
  ...compareValues(after.name, before.values, after.values),
  ...compareDescriptions(before, after),
  ...changedTexts(textsOf(before), textsOf(after)),
];

function textsOf(concern: Concern): ReadonlyMap<string, string> {
  const { name, match, multiple, setBy, claim, claimValues, obtainable, lists, model } = concern;
  const texts = {
    match,
    default: concern.default ?? 'none',
    multiple,
    'set-by': setBy,
    claim: claim === undefined ? 'none' : claimName(claim),
    obtainable: obtainable ?? false,
    'claim-values': claimValues === undefined ? 'none' : JSON.stringify(claimValues),
    lists: lists ?? 'filter',
    model: model ?? 'none',
  };
  return new Map(Object.entries(texts).map(([key, value]) => [`${name}: ${key}`, String(value)]));
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
function compareDescriptions(before: Concern, after: Concern): string[] {
  const textsOf = ({ valueDescriptions = {} }: Concern) => new Map(Object.entries(valueDescriptions));
  const [old, now] = [before, after].map(textsOf);
  const changed =
    'min' in after.values ? [] : after.values.filter((value) => old?.get(value) !== now?.get(value));
  return changed.length === 0 ? [] : [`${after.name}: new description of ${changed.join(', ')}`];
}

const valuesText = (values: ConcernValues): string =>
  'min' in values ? `${values.min} to ${values.max}` : values.join(', ');
