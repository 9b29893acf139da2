import type { Primitive } from '../../engine/mapping.js';
import { select } from '../../engine/select.js';
import type { HostConcerns } from '../../session/store.js';
import { configure } from '../request/configure.js';
import { ask, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { recordOf, withChange } from '../request/kept-preferences.js';
import { openToModel } from '../request/switching.js';
import { MAX_WORDS, nameOf, wordsIn } from './hidden-tools.js';

/**
 * Names the tools that values of a model would add, in place of adding them, if their definitions have more than about 10,000
 * tokens: one topic can cost more than the whole list of another server. The model then shows those that it needs.
 *
 * @param facts the call of the model
 * @param values the values, checked
 * @returns what to tell the model; `undefined` if the values add less, if the model cannot show single tools, or if the list
 *   stays as it is
 * @example
 * yield* tooLarge(facts, { topic: 'mail' }); // '28 tools would be added, which is too much. ...'
 */
export function* tooLarge(facts: Facts, values: HostConcerns): ResponseSteps<string | undefined> {
  const canShow = openToModel(facts).some(({ model }) => model === 'free');
  // With stable lists, values add no definition to what a host sends.
  if (!canShow || facts.policy.settings.lists === 'stable') return undefined;
  const found = yield* ask({ need: 'whole', kind: 'tools' });
  if (found.state !== 'complete') return undefined;
  const kept = yield* ask({ need: 'kept' });
  const shownWith = (chosen: HostConcerns): readonly Primitive[] => {
    const model = { ...recordOf(kept.session).model, ...chosen };
    return select(found.list.bound, configure(facts, withChange(kept, 'session', { model }), { meta: false }))
      .kept;
  };
  const shown = new Set(shownWith({}));
  const added = shownWith(values).filter((tool) => !shown.has(tool));
  if (!hasMoreWords(added, MAX_WORDS)) return undefined;
  return `This would add ${added.length} tools, more than about 10,000 tokens. Nothing changed. Pass the names that you need as show: ${namesOf(added).join(', ')}.`;
}

function hasMoreWords(tools: readonly Primitive[], most: number): boolean {
  let left = most;
  return tools.some((tool) => {
    left -= wordsIn(JSON.stringify(tool));
    return left < 0;
  });
}

/** As many names as an answer has room for. */
function namesOf(tools: readonly Primitive[]): readonly string[] {
  let left = MAX_WORDS;
  const end = tools.findIndex((tool) => {
    left -= wordsIn(nameOf(tool)) + 1;
    return left < 0;
  });
  const fitting = end === -1 ? tools : tools.slice(0, end);
  return [...fitting.map(nameOf), ...(end === -1 ? [] : ['...'])];
}
