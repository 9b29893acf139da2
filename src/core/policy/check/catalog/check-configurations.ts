import { analyze } from '../../../analysis/analyze.js';
import { asksForScope } from '../../../engine/evaluate.js';
import { itemAt } from '../../../engine/item-at.js';
import { didYouMean } from '../../../engine/match/did-you-mean.js';
import { argumentNames } from '../../../engine/uses/domain.js';
import { isUse } from '../../../engine/uses/use-primitives.js';
import { KIND_NAMES } from '../../language/kind-names.js';
import { type Problem, problem } from '../../language/problem.js';
import { findHiddenCompanions } from '../check-pages.js';
import { hiddenNamesIn } from '../hidden-names.js';
import type { ListCheck, Named } from './list-check.js';

/**
 * Checks properties of all configurations at once, such as a primitive that is never visible.
 *
 * @param check the policy and the lists
 * @returns what no configuration shows
 */
export function checkConfigurations(check: ListCheck): Named[] {
  const { files, policy, catalog, listed, report, warn, warnPolicy } = check;
  const { neverVisible, alwaysVisible, hiddenByHost, rules, unanswered } = analyze(policy, catalog);
  const named = ({ kind, name }: Named) => ({ noun: KIND_NAMES[kind][0], name });
  for (const each of neverVisible) warn(each, problem('never-visible', named(each)));
  for (const each of alwaysVisible) {
    if (!isMeantForEveryone(check, each)) warn(each, problem('always-visible.values', named(each)));
  }
  // The entry is the author's word, but looks as if the show rules decided.
  const { show, hide } = policy.rulesFor;
  for (const each of listed) {
    const isOpen = policy.entries[each.kind].get(each.name)?.assignments.length === 0;
    const isDecided = policy.settings.unmapped === 'show' || hide[each.kind].length > 0;
    if (!isOpen || isDecided || show[each.kind].length === 0 || each.mapping.offers.some(Boolean)) continue;
    const [, several] = KIND_NAMES[each.kind];
    warn(each, problem('always-visible.entry', { ...named(each), several }));
  }
  // What the server does not list may be what these would miss.
  const isWhole = catalog.isFiltered !== true;
  if (isWhole && hiddenByHost !== undefined) {
    const preferences = Object.entries(hiddenByHost).map(([name, value]) => `${name}: ${value}`);
    warnPolicy(problem('empty-catalog', { preferences: preferences.join(', ') }), ['concerns']);
  }
  for (const { id, fires } of rules) {
    const file = files.find(({ document }) => document.rules?.some((rule) => rule.id === id));
    const index = file?.document.rules?.findIndex((rule) => rule.id === id) ?? 0;
    if (!isWhole || file === undefined || fires === 'sometimes') continue;
    report(
      { file, path: ['rules', index, 'id'] },
      fires === 'always' ? problem('rule-always-fires', { id }) : neverFires(check, id),
    );
  }
  for (const question of unanswered) warnPolicy(problem('not-analyzed', { question }));
  for (const each of findHiddenCompanions(policy, catalog)) {
    const { kind, name, tool } = each;
    warn(each, problem(`ui-hidden.${kind}`, { name, tool }));
  }
  const hiddenNames = hiddenNamesIn(policy, listed);
  const inInstructions = hiddenNames(catalog.instructions);
  if (inInstructions.length > 0)
    warnPolicy(problem('names-hidden.instructions', { names: inInstructions.join(', ') }));
  for (const each of listed) {
    if (isUse(each.primitive)) continue;
    const others = hiddenNames(each.primitive.description, each.mapping);
    if (others.length === 0) continue;
    warn(each, problem('names-hidden.description', { name: each.name, names: others.join(', ') }));
  }
  return [...neverVisible];
}

/**
 * Whether a primitive is visible to everyone on purpose: its entry is `{}`, or each of its values fits every preference by
 * its place in the order, as the lowest value of `at-most` does.
 */
function isMeantForEveryone({ policy, listed }: ListCheck, { kind, name }: Named): boolean {
  if (policy.entries[kind].get(name)?.assignments.length === 0) return true;
  const found = listed.find((each) => each.kind === kind && each.name === name);
  return (
    found?.mapping.offers.every((offer, index) => {
      const concern = itemAt(policy.concerns, index);
      const { match, values, setBy } = concern;
      // Where a scope is missing, the value has an effect: a call asks for the scope.
      if (offer === undefined || asksForScope(policy, concern)) return true;
      if (setBy !== 'host' || 'min' in values) return false;
      if (match === 'at-most') return offer.offered.includes(0);
      return match === 'at-least' && offer.offered.includes(values.length - 1);
    }) === true
  );
}

/** Says why a rule never fires: often the name of its argument is not one of the server. */
function neverFires({ policy, catalog }: ListCheck, id: string): Problem {
  const argument = policy.rules.find((rule) => rule.id === id)?.argument?.name;
  const known = [...new Set((catalog.tools ?? []).flatMap(argumentNames))];
  return argument === undefined || known.includes(argument)
    ? problem('rule-never-fires.condition', { id })
    : problem('rule-never-fires.argument', { id, argument, hint: didYouMean(argument, known) });
}
