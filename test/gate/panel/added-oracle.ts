/**
 * An oracle for the tools that a model may add, and a person may switch one by one: its own small reading of a policy, which shares no code with the engine. The
 * policy is written from the same description.
 */

export const TOOLS = ['tool_a', 'tool_b', 'tool_c', 'tool_d', 'tool_e', 'tool_f'];
export const TOPICS = ['news', 'maps', 'code'];
export const LEVELS = ['low', 'high'];

export interface Spec {
  /** What a model may do with `level`: `topic` is always open. */
  readonly level: 'none' | 'narrow' | 'free';
  readonly unmapped: 'show' | 'hide';
  readonly enforcement: 'advisory' | 'enforce';
  /** The values of each tool. A tool without an entry is not mapped. */
  readonly own: Readonly<Record<string, { topic?: string; level?: string; tier?: string }>>;
  readonly rules: readonly {
    readonly effect: 'hide' | 'show';
    readonly tool: string;
    readonly ifTopic: boolean;
  }[];
}

export interface State {
  readonly person: { readonly topic?: string | null; readonly level?: string | null };
  readonly model: { readonly topic?: string | null; readonly level?: string | null };
  readonly added: readonly string[];
  /** The tools that the person switched one by one. */
  readonly shown: readonly string[];
  readonly hidden: readonly string[];
}

export function yamlOf({ level, unmapped, enforcement, own, rules }: Spec): string {
  const parts = {
    concerns: {
      topic: { values: TOPICS, multiple: true, model: 'free' },
      level: { values: LEVELS, model: level },
      tier: { values: ['free', 'pro'], 'set-by': 'operator', claim: 'tier', default: 'free' },
    },
    primitives: { tools: own },
    rules: rules.map(({ effect, tool, ifTopic }, index) => {
      const isTool = { '===': [{ var: 'primitive.name' }, tool] };
      const when = ifTopic ? { and: [isTool, { '!!': { var: 'concerns.topic' } }] } : isTool;
      return { id: `rule-${index}`, [effect]: ['tools'], when };
    }),
    settings: { panel: 'on', unmapped, enforcement },
  };
  return Object.entries(parts)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}

/** The values in effect, without those that narrow. */
function inEffect({ level: mode }: Spec, { person, model }: State) {
  const topic = model.topic === undefined ? person.topic : model.topic;
  const level = mode === 'free' && model.level !== undefined ? model.level : person.level;
  return { topic: topic ?? undefined, level: level ?? undefined };
}

/** Whether a tool is shown, where values of the concerns in `ignored` hide nothing. */
function passes(spec: Spec, state: State, tool: string, ignored: readonly string[]): boolean {
  const { topic, level } = inEffect(spec, state);
  const narrowed = spec.level === 'narrow' ? state.model.level : undefined;
  const own = spec.own[tool];
  if (own?.tier === 'pro') return false;
  const fires = (effect: 'hide' | 'show') =>
    spec.rules.some(
      (rule) => rule.effect === effect && rule.tool === tool && (!rule.ifTopic || topic !== undefined),
    );
  if (fires('hide')) return false;
  if (fires('show')) return true;
  const differs = (name: 'topic' | 'level', value: string | null | undefined) =>
    !ignored.includes(name) && typeof value === 'string' && own?.[name] !== undefined && own[name] !== value;
  if (differs('topic', topic) || differs('level', level) || differs('level', narrowed)) return false;
  return own !== undefined || spec.unmapped === 'show';
}

const freeOf = ({ level }: Spec): readonly string[] => ['topic', ...(level === 'free' ? ['level'] : [])];

const OF_HOST = ['topic', 'level'];

/** Whether a tool is shown. */
export function isShown(spec: Spec, state: State, tool: string): boolean {
  if (state.hidden.includes(tool)) return false;
  if (state.shown.includes(tool)) return isShowable(spec, state, tool);
  return passes(spec, state, tool, state.added.includes(tool) ? freeOf(spec) : []);
}

/** Whether only concerns that are open to the model hide a tool. */
export const isAddable = (spec: Spec, state: State, tool: string): boolean =>
  !isShown(spec, state, tool) && !state.hidden.includes(tool) && passes(spec, state, tool, freeOf(spec));

/** Whether nothing but what the host sets, and the person's own switch, hides a tool. */
export const isShowable = (spec: Spec, state: State, tool: string): boolean =>
  passes(spec, state, tool, OF_HOST);

/** What a person's switch of one tool leaves; `undefined` if it is refused. On some pages only less can be shown. */
export function switchedBy(
  spec: Spec,
  before: State,
  { tool, to, narrows }: { tool: string; to: 'show' | 'hide'; narrows: boolean },
): State | undefined {
  const without = (names: readonly string[]) => names.filter((name) => name !== tool);
  const rest = { ...before, shown: without(before.shown), hidden: without(before.hidden) };
  if (to === 'hide') {
    if (!isShown(spec, before, tool)) return undefined;
    return isShown(spec, rest, tool) ? { ...rest, hidden: [...rest.hidden, tool] } : rest;
  }
  const after = isShown(spec, rest, tool) ? rest : { ...rest, shown: [...rest.shown, tool] };
  if (!isShown(spec, after, tool)) return undefined;
  const isWider = after.shown.length > before.shown.length || after.hidden.length < before.hidden.length;
  return narrows && isWider ? undefined : after;
}

/** What a model has chosen after one more choice. Where it can only narrow, "any" takes its own value back. */
export function chosenBy({ level: mode }: Spec, { model }: State, values: State['model']): State['model'] {
  const { level, ...others } = { ...model, ...values };
  return level === undefined || (mode === 'narrow' && level === null) ? others : { ...others, level };
}

/** What is left of the model's choices when a person decides about some concerns. */
export function decidedBy(spec: Spec, before: State, person: State['person']): State {
  const { model, added } = before;
  const decided = Object.keys(person);
  const kept = Object.entries(model).filter(([name]) => !decided.includes(name));
  const isFree = decided.some((name) => freeOf(spec).includes(name));
  return { ...before, person, model: Object.fromEntries(kept), added: isFree ? [] : added };
}
