import type {
  PanelConcern,
  PanelItem,
  PanelState,
  PanelValue,
} from '../../core/gate/panel/panel-document.js';
import type { Change } from './source.js';

/** Fewer items than these need no groups: they are read at a glance. */
export const FEW = 40;

/** The headings of groups of primitives. */
const KIND_TITLES: Readonly<Record<PanelItem['kind'], string>> = {
  tools: 'Tools',
  prompts: 'Prompts',
  resources: 'Resources',
  resourceTemplates: 'Resource templates',
};

/** The group of tools without a topic. It comes last. */
const REST = 'other';

/** The switch of a whole group: one value of a concern. */
export interface GroupSwitch {
  readonly state: 'on' | 'off' | 'mixed';
  /** What a click does; `undefined` if it would leave nothing, or show more than the page may. */
  readonly change: Change | undefined;
}

/** Items under one heading. */
export interface Group {
  readonly title: string;
  readonly items: readonly PanelItem[];
  readonly switch?: GroupSwitch;
}

/**
 * Groups the items that are found: by server if there are several, else the tools by topic if there are many, and the rest by
 * kind.
 *
 * @param state the document
 * @param found some of its items
 * @returns the groups that are not empty, in the order of the document
 * @example
 * groupsOf(state, state.items)[0]?.title; // 'files'
 */
export function groupsOf(state: PanelState, found: readonly PanelItem[]): Group[] {
  const { items } = state;
  const servers = new Set(items.flatMap(({ server }) => server ?? []));
  const topic = servers.size > 0 ? serverConcern(state, servers) : topicOf(state);
  const titles = new Map<string, PanelItem[]>();
  const values = new Map<string, PanelValue>();
  for (const item of found) {
    const value =
      item.server ?? (servers.size > 0 || item.kind !== 'tools' ? undefined : valueIn(state, topic, item));
    const kind = KIND_TITLES[item.kind];
    const title =
      value === undefined ? (topic === undefined || item.kind !== 'tools' ? kind : REST) : String(value);
    if (value !== undefined) values.set(title, value);
    titles.set(title, [...(titles.get(title) ?? []), item]);
  }
  const topics = [...titles].sort(([one], [other]) => Number(one === REST) - Number(other === REST));
  return topics.map(([title, own]) => {
    const value = values.get(title);
    const group = { title, items: own };
    return topic === undefined || value === undefined
      ? group
      : { ...group, ...switchOf(topic, value, state.onlyNarrows !== undefined) };
  });
}

/** Returns the concern with which a person chooses servers: it has each of them as a value. */
const serverConcern = ({ concerns }: PanelState, servers: ReadonlySet<string>) =>
  concerns.find(
    ({ match, options = [] }) =>
      match === 'within' && [...servers].every((name) => options.some(({ value }) => value === name)),
  );

/** Returns the concern that divides the tools into most groups; `undefined` if they are few or none divides them. */
function topicOf({ concerns, items, classes }: PanelState): PanelConcern | undefined {
  const tools = items.filter(({ kind }) => kind === 'tools');
  if (tools.length <= FEW) return undefined;
  const divided = concerns
    .filter(({ setBy, match, options }) => setBy === 'host' && match === 'exact' && options !== undefined)
    .map((concern) => {
      const own = tools.flatMap(({ of }) => classes[of]?.fits[concern.name]?.[0] ?? []);
      return { concern, groups: new Set(own).size, isMost: own.length > tools.length / 2 };
    })
    .filter(({ groups, isMost }) => groups > 2 && isMost);
  return divided.sort((one, other) => other.groups - one.groups)[0]?.concern;
}

const valueIn = ({ classes }: PanelState, topic: PanelConcern | undefined, { of }: PanelItem) =>
  topic === undefined ? undefined : classes[of]?.fits[topic.name]?.[0];

function switchOf(concern: PanelConcern, own: PanelValue, onlyNarrows: boolean): { switch?: GroupSwitch } {
  const { name, multiple, inEffect, match, options = [] } = concern;
  const all = options.flatMap(({ value }) => value ?? []);
  if (!multiple || !all.includes(own)) return {};
  // Of `files` and `files.read`, one choice of the first contains the second.
  const isPart = (value: PanelValue, whole: PanelValue) =>
    match === 'within' && String(value).startsWith(`${whole}.`);
  const whole = all.filter((value) => !all.some((each) => isPart(value, each)));
  const chosen = inEffect.length === 0 ? whole : inEffect;
  const others = chosen.filter((value) => value !== own && !isPart(value, own));
  const isOn = chosen.includes(own);
  const state = isOn ? 'on' : others.length < chosen.length ? 'mixed' : 'off';
  if (isOn) return { switch: { state, change: others.length === 0 ? undefined : { [name]: others } } };
  const next = [...others, own];
  const isAll = whole.every((value) => next.includes(value));
  return { switch: { state, change: onlyNarrows ? undefined : { [name]: isAll ? null : next } } };
}
