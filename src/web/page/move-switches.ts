import type {
  PanelClass,
  PanelConcern,
  PanelCount,
  PanelItem,
  PanelState,
  PanelValue,
} from '../../core/gate/panel/panel-document.js';
import type { Change } from './source.js';

/** What one concern asks for: at least one of the values must fit. */
interface Asked {
  readonly concern: PanelConcern;
  readonly values: readonly PanelValue[];
}

type IsShown = (item: PanelItem) => boolean;

/**
 * Moves the switches at once, and counts what they show, before the server answers. A radio button that jumps back until the
 * answer arrives looks broken, and a count that follows later is read as that of the value before.
 *
 * Where rules read preferences, or a model added tools, counts and lists stay until the answer: the page does not know rules.
 *
 * @param state the document before the change
 * @param change the change
 * @returns the document as it will be, without the reasons of what changed
 * @example
 * moveSwitches(state, { security: 'high' }).shown.tools; // 10
 */
export function moveSwitches(state: PanelState, change: Change): PanelState {
  const preset = state.presets.find(({ name }) => name === change.preset);
  const values: Change = preset?.preferences ?? change;
  const concerns = state.concerns.map((concern) => {
    if (concern.setBy === 'operator') return concern;
    if (preset === undefined && !(concern.name in values)) return concern;
    // The person decides now, so what the model chose no longer applies.
    const { model: _model, origin: _origin, added: _added, ...rest } = concern;
    return { ...rest, inEffect: valuesOf(values[concern.name]) };
  });
  const isActive = (preferences: Change): boolean =>
    concerns.every(
      ({ name, setBy, inEffect }) =>
        setBy === 'operator' || valuesOf(preferences[name]).join() === inEffect.join(),
    );
  const moved = {
    ...state,
    concerns,
    presets: state.presets.map((each) => ({ ...each, active: isActive(each.preferences) })),
  };
  const isCounted = state.rulesDecide !== true && state.concerns.every(({ added }) => added === undefined);
  return isCounted ? counted(moved, change) : moved;
}

/** Counts what each choice shows, from what decides about the items. */
function counted(state: PanelState, change: Change): PanelState {
  const { concerns, classes } = state;
  const host = concerns.filter(({ setBy }) => setBy === 'host');
  const asked = host.flatMap((concern): Asked[] => {
    const { inEffect, model = [], origin } = concern;
    const own = { concern, values: inEffect };
    return origin === 'model' ? [own] : [own, { concern, values: model }];
  });
  const isShown = shownBy(classes, asked);
  const items = state.items.map((item) => itemAfter(item, change, isShown));
  const tools = items.filter(({ kind }) => kind === 'tools');
  const aloneOr = (isKept: IsShown) => (item: PanelItem) => (item.alone === true ? item.shown : isKept(item));
  const counts = concerns.map((concern): PanelConcern => {
    if (concern.options === undefined) return concern;
    // Everything else is decided once for all options.
    const others = asked.filter((each) => each.concern !== concern);
    const isOther = shownBy(classes, others);
    const fitting = tools.filter(aloneOr(isOther));
    const options = concern.options.map((option) => {
      const isKept = shownBy(classes, [{ concern, values: valuesOf(option.value) }]);
      return { ...option, ...count(fitting.filter(aloneOr(isKept))) };
    });
    return { ...concern, options };
  });
  const shown = count(tools.filter((item) => item.shown));
  // The counts of presets do not depend on what is chosen now.
  return { ...state, items, concerns: counts, shown };
}

const count = (tools: readonly PanelItem[]): PanelCount => ({
  tools: tools.length,
  tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
});

/** Returns whether the values show an item. */
function shownBy(classes: readonly PanelClass[], asked: readonly Asked[]): IsShown {
  const inEffect = asked.filter(({ values }) => values.length > 0);
  return ({ of }) => {
    const { always, fits = {} } = classes[of] ?? {};
    if (always !== undefined) return always === 'shown';
    return inEffect.every(({ concern, values }) => isFitting(concern, fits[concern.name], values));
  };
}

function isFitting(
  { range }: PanelConcern,
  fitting: readonly PanelValue[] | undefined,
  values: readonly PanelValue[],
): boolean {
  if (fitting === undefined) return true;
  if (range === undefined) return values.some((value) => fitting.includes(value));
  return values.some((value) =>
    fitting.some((lowest, at) => at % 2 === 0 && lowest <= value && value <= (fitting[at + 1] ?? lowest)),
  );
}

/** Returns an item after a change, also of its own switch. */
function itemAfter(item: PanelItem, change: Change, isShown: IsShown): PanelItem {
  const { name, kind, shown, alone } = item;
  const isNamed = (names: unknown): boolean =>
    kind === 'tools' && Array.isArray(names) && names.includes(name);
  const to = isNamed(change['+tools']) ? true : isNamed(change['-tools']) ? false : undefined;
  const isFreed = 'preset' in change || change[shown ? '+tools' : '-tools'] === null;
  const { alone: _alone, change: _change, after: _after, ...rest } = item;
  // A reason would be a guess: the description stands there until the answer.
  const after = (next: boolean): PanelItem =>
    next === shown ? { ...item } : { ...rest, shown: next, reason: { code: 'fits' } };
  if (to !== undefined && to !== isShown(item)) return { ...after(to), alone: true };
  if (to !== undefined || alone !== true || isFreed) {
    const { alone: _freed, ...free } = after(isShown(item));
    return free;
  }
  return item;
}

const isValue = (value: unknown): value is PanelValue =>
  typeof value === 'string' || typeof value === 'number';

const valuesOf = (value: unknown): PanelValue[] => [value].flat().filter(isValue);
