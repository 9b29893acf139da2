import { identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { RESERVED } from '../language/schema.js';
import { EFFECTS, type Effect, effectOfName } from './name-words.js';
import { proposeTopics } from './propose-topics.js';

/** What a first policy says of one tool. */
export interface ProposedTool {
  readonly name: string;
  readonly effect: Effect;
  /** `hints`: its annotations say it, so `assign` does; `name`: its name says it; `nothing`: taken as the worst. */
  readonly effectBy: 'hints' | 'name' | 'nothing';
  readonly reach: 'local' | 'world' | undefined;
  readonly topics: readonly string[];
}

/** A first policy for a server, before it is written down. */
export interface Proposal {
  readonly tools: readonly ProposedTool[];
  /** Names of the primitives of other kinds, which get no values. */
  readonly others: { readonly [K in Exclude<Kind, 'tools'>]: readonly string[] };
  /** The effects that there are, in their order. */
  readonly effects: readonly Effect[];
  /** Whether annotations tell tools apart by whether they reach beyond the server. */
  readonly reaches: boolean;
  readonly topics: readonly string[];
  /** Whether topics come from the server's own tags, or from names. */
  readonly topicsBy: 'tags' | 'names';
}

/**
 * Proposes concerns for a server, from what it says of its tools: annotations, tags and names.
 *
 * @param surface what the server lists
 * @returns a value for each tool, and where it comes from
 * @example
 * proposePolicy({ tools }).effects; // ['read-only', 'destroys']
 */
export function proposePolicy(surface: ServerCatalog): Proposal {
  const tools = distinct('tools', surface.tools ?? []);
  const tagged = tools.map((tool) => tagsOf(tool).flatMap(toValue));
  const byTags = new Set(tagged.flat()).size >= 2;
  const byNames = proposeTopics(byTags ? [] : tools.map((tool) => identityOf('tools', tool)));
  const named = byNames.size > 0;
  const reaches = ['local', 'world'].every((reach) => tools.some((tool) => reachOf(tool) === reach));

  const proposed = tools.map((tool, index): ProposedTool => {
    const name = identityOf('tools', tool);
    const topic = byNames.get(name);
    return {
      name,
      ...effectOf(tool),
      reach: reaches ? reachOf(tool) : undefined,
      topics: byTags ? [...new Set(tagged[index])] : named ? [topic ?? OTHER] : [],
    };
  });
  const count = (topic: string) => proposed.filter(({ topics }) => topics.includes(topic)).length;
  const topics = [...new Set(proposed.flatMap((tool) => tool.topics))].sort(
    (a, b) => Number(a === OTHER) - Number(b === OTHER) || count(b) - count(a) || (a < b ? -1 : 1),
  );
  // Whatever the server has now: an effect that no tool has would be a wish without a difference.
  const effects = EFFECTS.filter(
    (effect, index) => index === 0 || proposed.some((tool) => tool.effect === effect),
  );
  const names = (kind: Kind) => distinct(kind, surface[kind] ?? []).map((each) => identityOf(kind, each));
  return {
    tools: proposed.map((tool) => ({
      ...tool,
      topics: tool.topics.filter((each) => kept(topics).includes(each)),
    })),
    others: {
      prompts: names('prompts'),
      resources: names('resources'),
      resourceTemplates: names('resourceTemplates'),
    },
    effects,
    reaches,
    topics: kept(topics),
    topicsBy: byTags ? 'tags' : 'names',
  };
}

/** What has nothing in common with others: without a value it would be shown to everybody. */
const OTHER = 'other';

/** A concern has at most 64 values; the largest topics are kept. */
const kept = (topics: readonly string[]): readonly string[] => topics.slice(0, 64);

function distinct(kind: Kind, list: readonly Primitive[]): readonly Primitive[] {
  return [...new Map(list.map((each) => [identityOf(kind, each), each])).values()];
}

function effectOf(tool: Primitive): Pick<ProposedTool, 'effect' | 'effectBy'> {
  const { readOnlyHint, destructiveHint } = hintsOf(tool);
  if (readOnlyHint === true) return { effect: 'read-only', effectBy: 'hints' };
  if (destructiveHint === true) return { effect: 'destroys', effectBy: 'hints' };
  if (destructiveHint === false) return { effect: 'changes', effectBy: 'hints' };
  const effect = effectOfName(identityOf('tools', tool));
  // A tool that says it is not read-only does not become so by its name.
  if (effect === 'read-only' && readOnlyHint === false) return { effect: 'changes', effectBy: 'name' };
  return effect === undefined ? { effect: 'destroys', effectBy: 'nothing' } : { effect, effectBy: 'name' };
}

function reachOf(tool: Primitive): 'local' | 'world' | undefined {
  const { openWorldHint } = hintsOf(tool);
  return openWorldHint === true ? 'world' : openWorldHint === false ? 'local' : undefined;
}

function hintsOf({ annotations }: Primitive): Readonly<Record<string, unknown>> {
  return typeof annotations === 'object' && annotations !== null ? { ...annotations } : {};
}

function tagsOf({ tags, _meta }: Primitive): readonly unknown[] {
  const meta = typeof _meta === 'object' && _meta !== null ? (_meta as { tags?: unknown }).tags : undefined;
  const found = tags ?? meta;
  return Array.isArray(found) ? found : [];
}

/** A tag as a value of a concern, if it can be one. */
function toValue(tag: unknown): string[] {
  const text = String(tag)
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, 64);
  return text === '' || text === RESERVED.value ? [] : [text];
}
