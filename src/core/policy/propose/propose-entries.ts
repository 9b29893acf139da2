import { identityOf, mapPrimitive, type ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Policy } from '../../engine/policy.js';
import { usesOf } from '../../engine/uses/tool-uses.js';
import { useName } from '../../engine/uses/use-name.js';
import { toYamlFlow } from '../language/yaml-scalars.js';
import type { NewEntry } from './edit-entries.js';
import { type ProposedTool, proposePolicy } from './propose-policy.js';
import { nameWords, OTHER } from './topics/propose-topics.js';
import { descriptionWords } from './words/description-words.js';
import { singularOf, type WordsByName } from './words/words.js';

/**
 * Proposes entries for primitives that an existing policy does not know yet, in the concerns and values that it has.
 *
 * @param policy the policy
 * @param catalog the catalog of the server as it is now
 * @param known the catalog that the policy was written for, if there is one: what it lists is decided already
 * @param present whether new tools also get the titles and the hints that the server does not give
 * @returns the entries, and the proposals for the new tools
 * @example
 * proposeEntries(policy, { tools: [{ name: 'delete_file' }] }, undefined).entries;
 */
export function proposeEntries(
  policy: Policy,
  catalog: ServerCatalog & { readonly server?: unknown },
  known: ServerCatalog | undefined,
  present = false,
): { readonly entries: readonly NewEntry[]; readonly tools: readonly ProposedTool[] } {
  const proposal = proposePolicy(catalog);
  const words = nameWords(proposal.tools.map(({ name }) => name));
  const topicOf = topicChooser(policy, catalog, words);
  const entries: NewEntry[] = [];
  const added: ProposedTool[] = [];
  for (const kind of KINDS) {
    const old = new Set((known?.[kind] ?? []).map((each) => identityOf(kind, each)));
    const proposed = new Map(proposal.tools.map((tool) => [tool.name, tool]));
    for (const primitive of catalog[kind] ?? []) {
      const name = identityOf(kind, primitive);
      if (old.has(name) || policy.entries[kind].has(name)) continue;
      const { offers, mapped } = mapPrimitive(policy, kind, primitive);
      const tool = kind === 'tools' ? proposed.get(name) : undefined;
      if (tool === undefined) {
        if (!mapped) entries.push({ section: 'primitives', kind, name, values: '{}' });
        continue;
      }
      added.push(tool);
      const offered = (concern: string) => offers[policy.indexOf.get(concern) ?? -1]?.offered;
      const { effect, doubt } = tool;
      // What the policy says about its arguments already is the author's word.
      const actions = usesOf(policy, primitive) === undefined ? actionEntries(policy, tool) : [];
      // `undefined` if the policy has no such effect.
      const ordinal = policy.ordinals[policy.indexOf.get('effect') ?? -1]?.get(effect);
      const isRight = doubt === undefined && offered('effect')?.includes(ordinal ?? Number.NaN) === true;
      const values = {
        ...(actions.length > 0 ? { effect: 'any' } : ordinal === undefined || isRight ? {} : { effect }),
        ...(offered('topic') === undefined ? topicOf(tool) : {}),
      };
      const presented = present ? presentedEntries(policy, tool, actions.length > 0) : [];
      if (mapped && Object.keys(values).length === 0) {
        entries.push(...presented);
        continue;
      }
      const comment = doubt === undefined ? 'new' : `new, review it: ${doubt}`;
      const own = { section: 'primitives', kind, name, values: toYamlFlow(values), comment } as const;
      entries.push(own, ...actions, ...presented);
    }
  }
  return { entries, tools: added };
}

/** @returns the entries and the pattern for the actions of a tool, if the policy has their effects */
function actionEntries(policy: Policy, { name, actions }: ProposedTool): readonly NewEntry[] {
  if (actions === undefined) return [];
  const { argument, worst, milder } = actions;
  const known = policy.ordinals[policy.indexOf.get('effect') ?? -1];
  const entryOf = (section: NewEntry['section'], value: string, effect: string): NewEntry => {
    const values = toYamlFlow({ effect });
    return { section, kind: 'tools', name: useName(name, argument, value), values, of: name };
  };
  const effects = [worst, ...milder.map(({ effect }) => effect)];
  if (known === undefined || !effects.every((effect) => known.has(effect))) return [];
  return [
    ...milder.map(({ value, effect }) => entryOf('primitives', value, effect)),
    entryOf('patterns', '*', worst),
  ];
}

/** @returns how a new tool is presented, where neither the server nor the policy says it */
function presentedEntries(
  { presented, presentedUses }: Policy,
  { name, present, presentedActions }: ProposedTool,
  hasActions: boolean,
): readonly NewEntry[] {
  const entryOf = (each: string, values: object): NewEntry => ({
    section: 'present',
    kind: 'tools',
    name: each,
    values: toYamlFlow(values),
    of: name,
  });
  const actions = hasActions ? presentedActions.filter((each) => !presentedUses.has(each.name)) : [];
  return [
    ...(Object.keys(present).length === 0 || presented.has(name) ? [] : [entryOf(name, present)]),
    ...actions.map((each) => entryOf(each.name, { annotations: each.annotations })),
  ];
}

/** @returns a function that chooses one of the topics that the policy has already */
function topicChooser(
  policy: Policy,
  catalog: ServerCatalog,
  words: WordsByName,
): (tool: ProposedTool) => { readonly topic?: string } {
  const concern = policy.concerns.find(({ name }) => name === 'topic');
  const topics = concern === undefined || 'min' in concern.values ? [] : concern.values;
  const { tools = [] } = catalog;
  const nouns = new Map(tools.map((tool) => [identityOf('tools', tool), descriptionWords(tool).nouns]));
  const singular = singularOf([...words.values(), ...nouns.values()].flat());
  const isAbout = (topic: string, own: readonly string[]): boolean =>
    topic.split('-').every((part) => own.some((word) => word === part || singular(word) === part));
  return ({ name, topics: proposed }) => {
    if (topics.length === 0 || proposed === 'any') return {};
    const found =
      proposed.find((topic) => topic !== OTHER && topics.includes(topic)) ??
      topics.find((topic) => isAbout(topic, words.get(name) ?? [])) ??
      topics.find((topic) => isAbout(topic, nouns.get(name) ?? [])) ??
      topics.find((topic) => topic === OTHER);
    return found === undefined ? {} : { topic: found };
  };
}
