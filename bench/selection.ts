import { resolveConfiguration } from '../src/core/engine/configuration.js';
import { bindCatalog, select } from '../src/core/engine/select.js';
import { FIXTURE_CONCERNS, fixturePolicy, fixtureTools } from './fixture.js';
import { type Ratio, ratio } from './measure.js';

/** Compares the selection with JSON.stringify of the selected primitives, which every response needs anyway. */
export async function selectionRatios(): Promise<Ratio[]> {
  const tools = fixtureTools(1000);
  const policy = fixturePolicy(tools);
  const catalog = bindCatalog(policy, 'tools', tools);
  const sources = [{ from: 'request', concerns: FIXTURE_CONCERNS }] as const;
  const configuration = resolveConfiguration(policy, sources);
  const { kept } = select(catalog, configuration);
  if (kept.length !== 250)
    throw new Error(`The fixture keeps ${kept.length} tools, which is not a quarter of 1000.`);

  // Each request is parsed on its own, so equal preferences arrive as different objects.
  const text = JSON.stringify(FIXTURE_CONCERNS);
  const messages = Array.from({ length: 64 }, (): unknown => JSON.parse(text));
  let turn = 0;

  const stringify = { work: () => JSON.stringify(kept) };
  return [
    await ratio(
      'select from 1000 primitives, 3 concerns, new configuration / JSON.stringify of the selection',
      0.1,
      {
        work: () => {
          catalog.memo.clear();
          return select(catalog, resolveConfiguration(policy, sources));
        },
        repeat: 20,
      },
      stringify,
    ),
    await ratio(
      'the same, including binding the list to the policy / JSON.stringify of the selection',
      undefined,
      {
        work: () => select(bindCatalog(policy, 'tools', tools), resolveConfiguration(policy, sources)),
        repeat: 2,
      },
      stringify,
    ),
    await ratio(
      'a repeated configuration, from raw objects / JSON.stringify of the selection',
      0.003,
      {
        work: () => {
          turn = (turn + 1) % messages.length;
          return select(
            catalog,
            resolveConfiguration(policy, [{ from: 'request', concerns: messages[turn] }]),
          );
        },
        repeat: 500,
      },
      stringify,
    ),
  ];
}
