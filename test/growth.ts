/** A growth below this is linear: a machine with other work may triple a time. */
export const LINEAR = 24;

const ROUNDS = 5;

/**
 * Returns how many times more CPU time a function takes for a size eight times as large: about 8 if its time is linear, and
 * 64 if it is quadratic. A limit in milliseconds would fail on a slow machine, and pass on a fast one.
 *
 * @param prepare makes what is measured, for a size
 * @param size the smaller size
 * @example
 * expect(await growth((size) => () => parse('('.repeat(size)), 10_000)).toBeLessThan(LINEAR);
 */
export const growth = (prepare: (size: number) => () => unknown, size: number): Promise<number> =>
  timeRatio(prepare(size * 8), prepare(size));

/**
 * Returns the CPU time of one function as a multiple of another. They alternate, and the shortest time of each counts,
 * because other work of the process, such as collecting garbage, only makes a time longer.
 */
export async function timeRatio(work: () => unknown, baseline: () => unknown): Promise<number> {
  const shortest = { work: Number.POSITIVE_INFINITY, baseline: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    shortest.baseline = Math.min(shortest.baseline, await cpuTimeOf(baseline));
    shortest.work = Math.min(shortest.work, await cpuTimeOf(work));
  }
  return shortest.work / shortest.baseline;
}

/** In microseconds, and at least one. */
async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}
