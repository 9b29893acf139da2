import { isForPages, ownersOf, pageOf } from '../../engine/companions.js';
import { itemAt } from '../../engine/item-at.js';
import { identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { effectOfHints, hintsOf, type ProposedEffect, proposeEffect } from './effects.js';
import { nameWords, OTHER, type ProposedTopics, proposeTopics } from './propose-topics.js';
import { EFFECTS, type Effect } from './verbs.js';

/** The values that a first policy proposes for one tool. */
export interface ProposedTool extends ProposedEffect {
  readonly name: string;
  /** The effect that `assign` derives from the annotations. */
  readonly assigned: Effect;
  /** The topics; `any` if the tool fits every topic. Empty if there are no topics. */
  readonly topics: readonly string[] | 'any';
}

/** The concerns and values of a first policy, before they are written as YAML. */
export interface Proposal extends Pick<ProposedTopics, 'topics' | 'topicsFrom' | 'patterns'> {
  readonly tools: readonly ProposedTool[];
  /** The names of all prompts, resources and resource templates. They get no values. */
  readonly others: { readonly [K in Exclude<Kind, 'tools'>]: readonly string[] };
  /** The values of the concern `effect`, in their order. */
  readonly effects: readonly Effect[];
  /** Whether `world` becomes a concern: some tools stay in a closed world and others do not. */
  readonly hasWorld: boolean;
}

/**
 * Proposes concerns for a server from the annotations, tags, names and descriptions of its tools.
 *
 * @param catalog the catalog of the server
 * @returns the proposed concerns, with values for each tool and where they come from
 * @example
 * proposePolicy({ tools }).effects; // ['read-only', 'destroys']
 */
export function proposePolicy(catalog: ServerCatalog & { readonly server?: unknown }): Proposal {
  const own = (kind: Kind): readonly Primitive[] => distinct(kind, catalog[kind] ?? []);
  const words = nameWords(own('tools').map((tool) => identityOf('tools', tool)));
  const list = own('tools').filter((tool) => !isForPages(tool));
  const pages = new Set(list.map(pageOf));
  const { topicsOf, topics, topicsFrom, patterns } = proposeTopics(list, words, serverName(catalog.server));
  const proposed = (tool: Primitive, topicsFor: (name: string) => ProposedTool['topics']): ProposedTool => {
    const name = identityOf('tools', tool);
    return {
      name,
      ...proposeEffect(tool, words.get(name) ?? []),
      assigned: effectOfHints(tool),
      topics: topicsFor(name),
    };
  };
  const tools = list.map((tool) => proposed(tool, (name) => topicsOf.get(name) ?? []));
  const names = (kind: Kind): string[] => own(kind).map((each) => identityOf(kind, each));
  const others = {
    prompts: names('prompts'),
    resources: names('resources'),
    resourceTemplates: names('resourceTemplates'),
  };
  const proposal = {
    tools,
    topics,
    topicsFrom,
    patterns,
    others,
    effects: effectsOf(tools),
    hasWorld: separatesWorlds(list),
  };
  // Prompts and resources have no values, so no combination of preferences hides everything.
  const hasOthers = KINDS.some((kind) => kind !== 'tools' && others[kind].some((name) => !pages.has(name)));
  const anchored = hasOthers ? proposal : withAnchor(proposal, list, words);
  const helpers = own('tools')
    .filter(isForPages)
    .map((helper) => proposed(helper, () => topicsOfOwners(anchored, own('tools'), helper)));
  const all = [...anchored.tools, ...helpers];
  return { ...anchored, tools: all, effects: effectsOf(all) };
}

/** A tool that only pages can call is hidden and shown with the tools of these pages, as far as its effect allows. */
function topicsOfOwners(
  { tools }: Proposal,
  listed: readonly Primitive[],
  helper: Primitive,
): ProposedTool['topics'] {
  const owners = new Set(ownersOf(listed, helper).map((each) => identityOf('tools', itemAt(listed, each))));
  const topics = tools.filter(({ name }) => owners.has(name)).map((owner) => owner.topics);
  return topics.includes('any') ? 'any' : [...new Set(topics.flat())];
}

/** A new tool without annotations gets the last value. The first one is left out if no tool has it: nothing would be visible. */
function effectsOf(tools: readonly ProposedTool[]): Effect[] {
  const found = new Set(tools.map(({ effect }) => effect));
  const first = EFFECTS.findIndex((effect) => found.has(effect));
  return EFFECTS.slice(Math.max(0, first));
}

/** Whether the annotations separate tools: some stay in a closed world, others may contact anything. */
function separatesWorlds(tools: readonly Primitive[]): boolean {
  const hints = tools.map((tool) => hintsOf(tool).openWorldHint);
  return hints.includes(true) && hints.includes(false);
}

/**
 * Makes the most general of the most harmless tools fit every topic, unless an everyday tool does already. Without it, a
 * host that asks for `read-only` and for a topic whose tools all change something would see an empty list.
 */
function withAnchor(
  proposal: Proposal,
  list: readonly Primitive[],
  words: ReadonlyMap<string, readonly string[]>,
): Proposal {
  const { tools, topics } = proposal;
  const [lowest] = proposal.effects;
  const isLowest = ({ name, effect }: ProposedTool): boolean =>
    effect === lowest && (!proposal.hasWorld || closed.has(name));
  const closed = new Set(
    list.filter((tool) => hintsOf(tool).openWorldHint === false).map((tool) => identityOf('tools', tool)),
  );
  const candidates = tools.filter(isLowest);
  // If every tool that only reads contacts other systems, the two concerns together would hide everything.
  if (candidates.length === 0 && proposal.hasWorld)
    return withAnchor({ ...proposal, hasWorld: false }, list, words);
  const anchor = candidates.find(({ topics: own }) => own === 'any') ?? mostGeneral(candidates, words);
  if (anchor === undefined || topics.length === 0 || anchor.topics === 'any') return proposal;
  const changed = tools.map((tool) => (tool === anchor ? { ...tool, topics: 'any' as const } : tool));
  const used = new Set(changed.flatMap((tool) => (tool.topics === 'any' ? [] : tool.topics)));
  const left = topics.filter((topic) => used.has(topic));
  // One topic divides nothing: every host that sets it sees everything.
  if (left.length > 1) return { ...proposal, tools: changed, topics: left };
  return { ...proposal, tools: tools.map((tool) => ({ ...tool, topics: [] })), topics: [] };
}

/** Verbs of tools that give an overview. */
const OVERVIEW = /^(list|search|find|status|read|get|view|snapshot|whoami)/;

/** @returns a tool without a topic of its own, else one that gives an overview, else one with a short name */
function mostGeneral(
  tools: readonly ProposedTool[],
  words: ReadonlyMap<string, readonly string[]>,
): ProposedTool | undefined {
  const isOverview = ({ name }: ProposedTool): boolean => OVERVIEW.test(words.get(name)?.[0] ?? '');
  const isOther = ({ topics }: ProposedTool): boolean => topics !== 'any' && topics.includes(OTHER);
  const [best] = tools.toSorted(
    (a, b) =>
      Number(isOther(b)) - Number(isOther(a)) ||
      Number(isOverview(b)) - Number(isOverview(a)) ||
      a.name.length - b.name.length,
  );
  return best;
}

function serverName(server: unknown): string {
  if (typeof server === 'string') return server;
  const name = typeof server === 'object' && server !== null && 'name' in server ? server.name : '';
  return typeof name === 'string' ? name : '';
}

function distinct(kind: Kind, list: readonly Primitive[]): readonly Primitive[] {
  return [...new Map(list.map((each) => [identityOf(kind, each), each])).values()];
}
