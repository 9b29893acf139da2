import type { Primitive } from '../../engine/mapping.js';
import type { Concern } from '../../engine/policy.js';
import { select } from '../../engine/select.js';
import type { HostConcerns } from '../../session/store.js';
import { configure } from '../request/configure.js';
import { ask, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { recordOf, withChange } from '../request/kept-preferences.js';
import { openToModel } from '../request/switching.js';

/** More values than this are counted only: the answer stays in the context of the model. */
const MAX_VALUES = 20;

/**
 * Says which hidden tools a model can show itself, for each concern with `model: free`: the way back after a miss.
 *
 * @param facts the call of the model
 * @returns one sentence for each concern whose other values show more
 * @example
 * yield* moreTools(facts); // ['47 more tools with other values of topic: stocks 12, news 8, any 47.']
 */
export function* moreTools(facts: Facts): ResponseSteps<readonly string[]> {
  const free = openToModel(facts).filter(({ model }) => model === 'free');
  if (free.length === 0) return [];
  const found = yield* ask({ need: 'whole', kind: 'tools' });
  if (found.state !== 'complete') return [];
  const catalog = found.list.bound;
  const kept = yield* ask({ need: 'kept' });
  const shownWith = (values: HostConcerns) => {
    const model = { ...recordOf(kept.session).model, ...values };
    const changed = withChange(kept, 'session', { model });
    return select(catalog, configure(facts, changed, { meta: false })).kept;
  };
  const shown = new Set(shownWith({}));
  return free.flatMap((concern) =>
    sentenceFor(concern, (value) => shownWith({ [concern.name]: value }).filter((tool) => !shown.has(tool))),
  );
}

function sentenceFor(
  { name, values, multiple }: Concern,
  more: (value: unknown) => readonly Primitive[],
): string[] {
  const all = more(null);
  const counts = ('min' in values ? [] : values)
    .map((value) => ({ value, tools: more(multiple ? [value] : value) }))
    .filter(({ tools }) => tools.length > 0)
    .sort((one, other) => other.tools.length - one.tools.length);
  const found = new Set([...all, ...counts.flatMap(({ tools }) => tools)]);
  if (found.size === 0) return [];
  const parts = counts.slice(0, MAX_VALUES).map(({ value, tools }) => `${value} ${tools.length}`);
  const rest = counts.length - parts.length;
  const others = [
    ...(rest > 0 ? [`${rest} more values`] : []),
    ...(all.length > 0 ? [`any ${all.length}`] : []),
  ];
  const noun = found.size === 1 ? 'tool' : 'tools';
  return [`${found.size} more ${noun} with other values of ${name}: ${[...parts, ...others].join(', ')}.`];
}
