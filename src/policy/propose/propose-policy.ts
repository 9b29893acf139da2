import { identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { RESERVED } from '../language/schema.js';
import { EFFECTS, type Effect, effectOfName } from './name-words.js';
import { proposeTopics } from './propose-topics.js';

/** The values that a first policy proposes for one tool. */
export interface ProposedTool {
  readonly name: string;
  readonly effect: Effect;
  /**
   * Where `effect` comes from. `hints`: the annotations, so `assign` gives the value. `name`: a verb in the name.
   * `nothing`: neither tells, so it is the most harmful effect.
   */
  readonly effectFrom: 'hints' | 'name' | 'nothing';
  /** Whether a call stays within the server. `undefined` if it is the same for all tools, or not known. */
  readonly reach: 'local' | 'world' | undefined;
  readonly topics: readonly string[];
}

/** The concerns and values of a first policy, before they are written as YAML. */
export interface Proposal {
  readonly tools: readonly ProposedTool[];
  /** The names of all prompts, resources and resource templates. They get no values. */
  readonly others: { readonly [K in Exclude<Kind, 'tools'>]: readonly string[] };
  /** The values of the concern `effect`, in their order. */
  readonly effects: readonly Effect[];
  /** Whether `reach` becomes a concern: some tools are local and others are not. */
  readonly hasReach: boolean;
  readonly topics: readonly string[];
  /** Whether topics come from the tags of the server or from names. */
  readonly topicsFrom: 'tags' | 'names';
}

/**
 * Proposes concerns for a server from the annotations, tags and names of its tools.
 *
 * @param catalog the catalog of the server
 * @returns the proposed concerns, with values for each tool and where they come from
 * @example
 * proposePolicy({ tools }).effects; // ['read-only', 'destroys']
 */
export function proposePolicy(catalog: ServerCatalog): Proposal {
  const tools = distinct('tools', catalog.tools ?? []);
  const tagged = tools.map((tool) => tagsOf(tool).flatMap(toValue));
  const usesTags = new Set(tagged.flat()).size >= 2;
  const topicOf = proposeTopics(usesTags ? [] : tools.map((tool) => identityOf('tools', tool)));
  const usesNames = topicOf.size > 0;
  const hasReach = ['local', 'world'].every((reach) => tools.some((tool) => reachOf(tool) === reach));

  const proposed = tools.map((tool, index): ProposedTool => {
    const name = identityOf('tools', tool);
    const topic = topicOf.get(name);
    return {
      name,
      ...effectOf(tool),
      reach: hasReach ? reachOf(tool) : undefined,
      topics: usesTags ? [...new Set(tagged[index])] : usesNames ? [topic ?? OTHER] : [],
    };
  });
  const count = (topic: string) => proposed.filter(({ topics }) => topics.includes(topic)).length;
  const topics = [...new Set(proposed.flatMap((tool) => tool.topics))].sort(
    (a, b) => Number(a === OTHER) - Number(b === OTHER) || count(b) - count(a) || (a < b ? -1 : 1),
  );
  // A value that no tool has would change nothing for a host that sets it.
  const effects = EFFECTS.filter(
    (effect, index) => index === 0 || proposed.some((tool) => tool.effect === effect),
  );
  const names = (kind: Kind) => distinct(kind, catalog[kind] ?? []).map((each) => identityOf(kind, each));
  return {
    tools: proposed.map((tool) => ({
      ...tool,
      topics: tool.topics.filter((each) => upToLimit(topics).includes(each)),
    })),
    others: {
      prompts: names('prompts'),
      resources: names('resources'),
      resourceTemplates: names('resourceTemplates'),
    },
    effects,
    hasReach,
    topics: upToLimit(topics),
    topicsFrom: usesTags ? 'tags' : 'names',
  };
}

/** The topic of the remaining tools. Without a value for the concern, they would be shown to every host. */
const OTHER = 'other';

/** Keeps the largest topics, because a concern has at most 64 values. */
const upToLimit = (topics: readonly string[]): readonly string[] => topics.slice(0, 64);

function distinct(kind: Kind, list: readonly Primitive[]): readonly Primitive[] {
  return [...new Map(list.map((each) => [identityOf(kind, each), each])).values()];
}

function effectOf(tool: Primitive): Pick<ProposedTool, 'effect' | 'effectFrom'> {
  const { readOnlyHint, destructiveHint } = hintsOf(tool);
  if (readOnlyHint === true) return { effect: 'read-only', effectFrom: 'hints' };
  if (destructiveHint === true) return { effect: 'destroys', effectFrom: 'hints' };
  if (destructiveHint === false) return { effect: 'changes', effectFrom: 'hints' };
  const effect = effectOfName(identityOf('tools', tool));
  // The annotation is stronger than the name: a tool that declares it is not read-only is never taken as read-only.
  if (effect === 'read-only' && readOnlyHint === false) return { effect: 'changes', effectFrom: 'name' };
  return effect === undefined
    ? { effect: 'destroys', effectFrom: 'nothing' }
    : { effect, effectFrom: 'name' };
}

function reachOf(tool: Primitive): 'local' | 'world' | undefined {
  const { openWorldHint } = hintsOf(tool);
  return openWorldHint === true ? 'world' : openWorldHint === false ? 'local' : undefined;
}

function hintsOf({ annotations }: Primitive): Readonly<Record<string, unknown>> {
  return typeof annotations === 'object' && annotations !== null ? { ...annotations } : {};
}

function tagsOf({ tags, _meta }: Primitive): readonly unknown[] {
  const metaTags = typeof _meta === 'object' && _meta !== null && 'tags' in _meta ? _meta.tags : undefined;
  const found = tags ?? metaTags;
  return Array.isArray(found) ? found : [];
}

/** Turns a tag into a value of a concern. Returns an empty list for a tag that cannot become a valid name. */
function toValue(tag: unknown): string[] {
  const text = String(tag)
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 64);
  return text === '' || text === RESERVED.value ? [] : [text];
}
