import { resolveConfiguration } from '../src/core/engine/configuration.js';
import { bindCatalog, type Catalog, select } from '../src/core/engine/select.js';
import { digestOf, openCompiledPolicy } from '../src/core/policy/compile/compiled.js';
import { compiledFixture, FIXTURE_CONCERNS, fixturePolicy, fixtureTools } from './fixture.js';
import { type Ratio, ratio } from './measure.js';

const LARGE = 100_000;
const SMALL = 1000;

/** Measures how the cost grows with the number of primitives, and what loading a compiled policy costs. */
export async function scaleRatios(): Promise<Ratio[]> {
  // The policy only reads names. With whole definitions, the garbage collector would dominate the times.
  const names = fixtureTools(SMALL).map(({ name }) => name);
  const tools = Array.from({ length: LARGE }, (_, index) => ({ name: `${names[index % SMALL]}_${index}` }));
  const small = tools.slice(0, SMALL);
  const sources = [{ from: 'request', concerns: FIXTURE_CONCERNS }] as const;
  const bound = (some: typeof tools) => {
    const policy = fixturePolicy(some);
    const catalog = bindCatalog(policy, 'tools', some);
    return { catalog, configure: () => resolveConfiguration(policy, sources) };
  };
  const [all, few] = [bound(tools), bound(small)];
  const cold = ({
    catalog,
    configure,
  }: {
    catalog: Catalog<{ name: string }>;
    configure: typeof all.configure;
  }) => {
    catalog.memo.clear();
    return select(catalog, configure());
  };
  const text = JSON.stringify(compiledPolicy());

  return [
    await ratio(
      `a new configuration per primitive, at ${LARGE} primitives / at ${SMALL}`,
      3,
      { work: () => cold(all) },
      {
        work: () => {
          for (let count = 0; count < LARGE / SMALL; count++) cold(few);
        },
      },
      40,
    ),
    await ratio(
      `binding per primitive, at ${LARGE} primitives / at ${SMALL}`,
      undefined,
      { work: () => bindCatalog(all.catalog.policy, 'tools', tools) },
      {
        work: () => {
          for (let count = 0; count < LARGE / SMALL; count++) bindCatalog(few.catalog.policy, 'tools', small);
        },
      },
      15,
    ),
    await ratio(
      `a repeated configuration, at ${LARGE} primitives / at ${SMALL}`,
      1.2,
      { work: () => select(all.catalog, all.configure()), repeat: 500 },
      { work: () => select(few.catalog, few.configure()), repeat: 500 },
    ),
    await ratio(
      `openCompiledPolicy(JSON.parse(text)), ${SMALL} entries, ${Math.round(text.length / 1024)} KB / JSON.parse(text)`,
      3,
      { work: () => openCompiledPolicy(JSON.parse(text)) },
      { work: () => JSON.parse(text) },
    ),
  ];
}

function compiledPolicy(): object {
  const { digest: _, ...content } = compiledFixture(fixtureTools(SMALL));
  return { ...content, digest: digestOf(content) };
}

/** The heap after selecting with many different configurations. */
export interface MemoryRun {
  readonly name: string;
  readonly configurations: number;
  /** The number of selections in the cache at the end. */
  readonly cached: number;
  /** In bytes. */
  readonly heapBefore: number;
  readonly heapAfter: number;
}

/** Selects with 200,000 different configurations and measures the heap before and after: a leak would keep them all. */
export function memoryRun(): MemoryRun {
  const tools = fixtureTools(100);
  const fixture = compiledFixture(tools);
  const budget = {
    name: 'budget',
    values: { min: 0, max: 1 },
    match: 'at-most',
    multiple: false,
    setBy: 'host',
  };
  const { digest: _, ...content } = { ...fixture, concerns: [...fixture.concerns, budget] } as typeof fixture;
  const policy = openCompiledPolicy({ ...content, digest: digestOf(content) });
  const catalog = bindCatalog(policy, 'tools', tools);
  const configurations = 200_000;
  const run = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      const concerns = { ...FIXTURE_CONCERNS, budget: index / configurations };
      select(catalog, resolveConfiguration(policy, [{ from: 'request', concerns }]));
    }
  };
  // The cache is filled before the first measurement, so that only continued growth is measured.
  run(0, 1000);
  const heapBefore = heap();
  run(1000, configurations);
  return {
    name: 'heap before / after 200,000 different configurations of one list',
    configurations,
    cached: catalog.memo.size,
    heapBefore,
    heapAfter: heap(),
  };
}

function heap(): number {
  global.gc?.();
  return process.memoryUsage().heapUsed;
}
