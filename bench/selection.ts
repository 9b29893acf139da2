import { resolveConfiguration } from '../src/engine/configuration.js';
import { bindCatalog, select } from '../src/engine/select.js';
import { FIXTURE_CONCERNS, fixturePolicy, fixtureTools } from './fixture.js';
import { type Ratio, ratio } from './measure.js';

/** What selecting costs beside writing what is kept as JSON, which every answer has to do anyway. */
export async function selectionRatios(): Promise<Ratio[]> {
  const tools = fixtureTools(1000);
  const policy = fixturePolicy(tools);
  const catalog = bindCatalog(policy, 'tools', tools);
  const carriers = [{ from: 'request', concerns: FIXTURE_CONCERNS }] as const;
  const configuration = resolveConfiguration(policy, carriers);
  const { kept } = select(catalog, configuration);
  if (kept.length !== 250) throw new Error(`The fixture keeps ${kept.length} tools, not a quarter of 1000.`);

  // Each request is parsed anew: equal contents in another object every time.
  const text = JSON.stringify(FIXTURE_CONCERNS);
  const messages = Array.from({ length: 64 }, (): unknown => JSON.parse(text));
  let turn = 0;

  const stringify = { work: () => JSON.stringify(kept) };
  return [
    await ratio(
      'select from 1000 primitives, 3 concerns, new configuration / JSON.stringify of what is kept',
      0.1,
      {
        work: () => {
          catalog.memo.clear();
          return select(catalog, resolveConfiguration(policy, carriers));
        },
        repeat: 20,
      },
      stringify,
    ),
    await ratio(
      'the same with the list bound to the policy anew / JSON.stringify of what is kept',
      undefined,
      {
        work: () => select(bindCatalog(policy, 'tools', tools), resolveConfiguration(policy, carriers)),
        repeat: 2,
      },
      stringify,
    ),
    await ratio(
      'a repeated configuration, from raw objects / JSON.stringify of what is kept',
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
