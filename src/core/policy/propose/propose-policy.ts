import { isForPages, ownersOf } from '../../engine/companions.js';
import { readOwn } from '../../engine/expression/evaluate.js';
import { itemAt } from '../../engine/item-at.js';
import { identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { byKind, type Kind, type Presentation } from '../../engine/policy.js';
import { annotationsOf } from '../../engine/present.js';
import { type ProposedActions, proposeActions } from './actions.js';
import {
  declaresAllDestructive,
  effectOfHints,
  oppositesAmong,
  type ProposedEffect,
  proposeEffect,
} from './effects.js';
import { type PresentedAction, presentActions, proposePresentation } from './propose-presentation.js';
import { reachesPeople } from './reaches.js';
import { nameWords, OTHER, type ProposedTopics, proposeTopics } from './topics/propose-topics.js';
import { EFFECTS, type Effect } from './words/verbs.js';

/** The values that a first policy proposes for one tool. */
export interface ProposedTool extends ProposedEffect {
  readonly name: string;
  /** The effect that `assign` derives from the annotations. */
  readonly assigned: Effect;
  /** The topics; `any` if the tool fits every topic. Empty if there are no topics. */
  readonly topics: readonly string[] | 'any';
  /** The verb of its name that says that a call writes to people. */
  readonly reaches?: string;
  /** What its actions do, if some do less than others. */
  readonly actions?: ProposedActions;
  /** The title and the hints that the server does not give. */
  readonly present: Presentation;
  /** The hints that it has while only some of its actions are left. */
  readonly presentedActions: readonly PresentedAction[];
}

/** The concerns and values of a first policy, before they are written as YAML. */
export interface Proposal
  extends Pick<ProposedTopics, 'topics' | 'topicsFrom' | 'patterns' | 'topicWords' | 'without'> {
  readonly tools: readonly ProposedTool[];
  /** The names of all prompts, resources and resource templates. They get no values. */
  readonly others: { readonly [K in Exclude<Kind, 'tools'>]: readonly string[] };
  /** The values of the concern `effect`, in their order. */
  readonly effects: readonly Effect[];
  /** Whether the server declares everything as destructive that changes something. */
  readonly allDestructive: boolean;
  /** Whether `world` becomes a concern: some tools stay in a closed world and others do not. */
  readonly hasWorld: boolean;
  /** The tools of the topic `start`, with which a host begins; without it, there is no such topic. */
  readonly start?: ReadonlySet<string>;
}

/** The topic and the preset of what a host is shown first. */
export const START = 'start';

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
  const allDestructive = declaresAllDestructive(list);
  const oppositeOf = oppositesAmong(words.values());
  // A catalog has the name of its server, or what the server says about itself.
  const nameOfServer = [catalog.server, readOwn(catalog.server, 'name')].find(
    (each) => typeof each === 'string',
  );
  const { topicsOf, ...found } = proposeTopics(list, words, nameOfServer ?? '');
  const proposed = (tool: Primitive, topics: ProposedTool['topics']): ProposedTool => {
    const name = identityOf('tools', tool);
    const ownWords = words.get(name) ?? [];
    const effect = proposeEffect(tool, ownWords, allDestructive, oppositeOf(ownWords));
    // What only reads sends nothing.
    const reaches = effect.effect === 'read-only' ? undefined : reachesPeople(ownWords);
    const actions = proposeActions(tool, ownWords, effect);
    // Hints are about all actions together.
    const whole = actions?.hasWorst === true ? { ...effect, effect: actions.worst } : effect;
    const present = proposePresentation(tool, whole, ownWords);
    const presentedActions = actions === undefined ? [] : presentActions(tool, actions);
    const own = { name, ...effect, assigned: effectOfHints(tool), topics, present, presentedActions };
    return { ...own, ...(reaches === undefined ? {} : { reaches }), ...(actions && { actions }) };
  };
  const tools = list.map((tool) => proposed(tool, topicsOf.get(identityOf('tools', tool)) ?? []));
  const names = (kind: Kind): string[] => own(kind).map((each) => identityOf(kind, each));
  const { tools: _tools, ...others } = byKind(names);
  const helpers = own('tools')
    .filter(isForPages)
    .map((helper) => proposed(helper, topicsOfOwners(tools, own('tools'), helper)));
  const all = [...tools, ...helpers];
  const hasWorld = separatesWorlds(list);
  return { ...found, tools: all, others, effects: effectsOf(all), allDestructive, hasWorld };
}

/** A tool that only pages can call is hidden and shown with the tools of these pages, as far as its effect allows. */
function topicsOfOwners(
  tools: readonly ProposedTool[],
  listed: readonly Primitive[],
  helper: Primitive,
): ProposedTool['topics'] {
  const owners = new Set(ownersOf(listed, helper).map((each) => identityOf('tools', itemAt(listed, each))));
  const topics = tools.filter(({ name }) => owners.has(name)).map((owner) => owner.topics);
  return topics.includes('any') ? 'any' : [...new Set(topics.flat())];
}

/** Returns the effects of a tool: its own, or those of its actions. */
export const effectsOfTool = ({ effect, actions }: ProposedTool): readonly Effect[] =>
  actions === undefined ? [effect] : [...actions.milder.map((each) => each.effect), actions.worst];

/** A new tool without annotations gets the last value. The first one is left out if no tool has it: nothing would be visible. */
function effectsOf(tools: readonly ProposedTool[]): Effect[] {
  const found = new Set(tools.flatMap(effectsOfTool));
  const first = EFFECTS.findIndex((effect) => found.has(effect));
  return EFFECTS.slice(Math.max(0, first));
}

/** Whether the annotations separate tools: some stay in a closed world, others may contact anything. */
function separatesWorlds(tools: readonly Primitive[]): boolean {
  const hints = tools.map((tool) => annotationsOf(tool).openWorldHint);
  return hints.includes(true) && hints.includes(false);
}

function distinct(kind: Kind, list: readonly Primitive[]): readonly Primitive[] {
  return [...new Map(list.map((each) => [identityOf(kind, each), each])).values()];
}

/**
 * Adds the topic `start` to a proposal, for a host that begins with few tools. New tools of the server get the topic `other`.
 *
 * @param proposal from `proposePolicy`
 * @param start the names of the tools that the host is shown first
 * @returns the proposal with a topic for every tool, also for those of a server without topics
 * @example
 * withStart(proposePolicy(catalog), new Set(['list_mail'])).topics; // ['start', 'mail', 'calendar', 'other']
 */
export function withStart(proposal: Proposal, start: ReadonlySet<string>): Proposal {
  const topicsOf = ({ name, topics }: ProposedTool): ProposedTool['topics'] => {
    if (topics === 'any' && start.has(name)) return 'any';
    const own = topics === 'any' || topics.length === 0 ? [OTHER] : topics;
    return start.has(name) ? [START, ...own] : own;
  };
  const tools = proposal.tools.map((tool) => ({ ...tool, topics: topicsOf(tool) }));
  const topics = [START, ...proposal.topics.filter((topic) => topic !== OTHER), OTHER];
  return { ...proposal, start, topics, tools, patterns: [{ pattern: '*', topic: OTHER }] };
}
