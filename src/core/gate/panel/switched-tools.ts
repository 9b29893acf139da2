import { type SwitchedTools, switchedTools, toolsIn } from '../../engine/added-tools.js';
import type { Configuration } from '../../engine/configuration.js';
import type { Primitive } from '../../engine/mapping.js';
import { ADDED_TOOLS, HIDDEN_TOOLS } from '../../engine/preference-source.js';
import type { Catalog } from '../../engine/select.js';
import type { HostConcerns } from '../../session/store.js';
import { decisionOnName } from '../enforce/visibility.js';
import { type StoredPreferences, strongestOf } from '../request/kept-preferences.js';

/** Returns the tools that a person switched one by one before a change. */
export function switchedBefore(kept: StoredPreferences): SwitchedTools {
  const concerns = strongestOf(kept);
  return switchedTools(toolsIn(concerns, ADDED_TOOLS), toolsIn(concerns, HIDDEN_TOOLS));
}

/**
 * Returns the tools that are switched one by one after a change. `{ '+tools': ['a'] }` shows one more, `{ '-tools': ['b'] }`
 * hides one, and `null` removes all of one list. A preset replaces both lists, as it replaces values; what may only show less
 * keeps what is hidden.
 *
 * @param before the tools before the change
 * @param change the change, unchecked
 * @param widens whether the change may show more
 * @param tools the list of the server; `undefined` if it is not known
 * @param configure resolves what is in effect with these tools, and the values of the change
 * @returns the tools, or a sentence that says why one of them cannot be switched
 * @example
 * switchedAfter({}, { '+tools': ['get_quote'] }, true, tools, configure); // { '+tools': ['get_quote'] }
 */
export function switchedAfter(
  before: SwitchedTools,
  change: HostConcerns,
  widens: boolean,
  tools: Catalog<Primitive> | undefined,
  configure: (switched: SwitchedTools) => Configuration,
): SwitchedTools | string {
  const kept = (key: keyof SwitchedTools, isKept: boolean) =>
    change[key] === null || !isKept ? [] : (before[key] ?? []);
  const isPreset = change.preset !== undefined;
  const [shown, hidden] = [kept(ADDED_TOOLS, !isPreset), kept(HIDDEN_TOOLS, !isPreset || !widens)];
  const [show, hide] = [namesIn(change[ADDED_TOOLS]), namesIn(change[HIDDEN_TOOLS])];
  if (show === undefined || hide === undefined) {
    return '"+tools" and "-tools" must be lists of names of tools.';
  }
  if (show.length + hide.length === 0) return switchedTools(shown, hidden);
  const isShownUnder = (configuration: Configuration) => (name: string) =>
    decisionOnName(tools, name, configuration)?.effect === 'show';
  const without = (names: readonly string[], others: readonly string[]) =>
    names.filter((name) => !others.includes(name));
  const rest = { shown: without(shown, [...show, ...hide]), hidden: without(hidden, [...show, ...hide]) };
  // Without the tools that change now: one that is shown anyway needs no entry, and one that is hidden anyway neither.
  const isShownAnyway = isShownUnder(configure(switchedTools(rest.shown, rest.hidden)));
  const after = switchedTools(
    [...rest.shown, ...show.filter((name) => !isShownAnyway(name))],
    [...rest.hidden, ...hide.filter(isShownAnyway)],
  );
  // The same for every other name, so that it does not tell whether there is such a tool.
  const wasShown = isShownUnder(configure(before));
  const wrong =
    without(hide, hide.filter(wasShown))[0] ?? without(show, show.filter(isShownUnder(configure(after))))[0];
  return wrong === undefined
    ? after
    : `${JSON.stringify(wrong)} is not a tool that you can switch by itself.`;
}

/** Returns the names in a part of a change; `undefined` if it is not a list of names. */
function namesIn(given: unknown = []): readonly string[] | undefined {
  if (given === null) return [];
  return Array.isArray(given) && given.every((name) => typeof name === 'string')
    ? [...new Set(given)]
    : undefined;
}
