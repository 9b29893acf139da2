import { setImmediate } from 'node:timers/promises';

/** The time of one function as a multiple of another, both measured in alternation within one run. */
export interface Ratio {
  readonly name: string;
  readonly ratio: number;
  /** The 95 % confidence interval of the ratio of the medians, by bootstrapping over the pairs. */
  readonly interval: readonly [number, number];
  /** A/A: the same interval for the baseline against itself in the same run. A ratio inside it may be noise. */
  readonly noise?: readonly [number, number];
  /** The ratio before the work on this target, if it was measured. */
  readonly before?: number;
  /** The 10th and the 90th percentile of the ratios of single pairs. */
  readonly spread: readonly [number, number];
  readonly target: Target;
  /** Medians in microseconds. */
  readonly micros: { readonly measured: number; readonly baseline: number };
}

/**
 * The maximum of a ratio. If the noise of the machine is larger than the effect, it is the maximum of the lower bound of
 * the confidence interval. `undefined` if the ratio has no target and only helps to read another one.
 */
export type Target = number | { readonly lowerBound: number } | undefined;

/** Some ratios that are measured one after the other, in a process of their own. */
export type Measurement = () => Promise<readonly Ratio[]>;

/** A function to measure. */
export interface Measured {
  readonly work: () => unknown;
  /** How often it runs per time, if one run is too short for the clock. */
  readonly repeat?: number;
  /**
   * How many times are taken in a row. Code that runs only every third time has left the caches of the processor: the same
   * handler, loaded twice, is 8 % slower then. In an endpoint the gate runs with every request.
   */
  readonly row?: number;
}

/**
 * For single calls, one server per request. A tenth of them meets a garbage collection, which would double the median of
 * batches now and then.
 */
export const [ROUNDS, ROW] = [120, 25];

/**
 * How often a function runs before it is measured, as a multiple of the measured rounds. Only after some ten thousand calls
 * has V8 optimized the whole gate: with 2,000 calls before, a call under `enforce` costs 1.059 instead of 1.049.
 */
const WARM_UP = { batches: 1 / 5, rows: 3.5 };

/**
 * Measures one function against another. The two alternate, so that changes of the machine's speed affect both.
 *
 * @param name the text for the report: measured / baseline
 * @param target the maximum of the ratio
 * @param measured the function
 * @param baseline the function to compare with
 * @param rounds how often each gets its turn; more of them are added as warm-up, see `WARM_UP`
 * @param before the ratio before the work on this target
 * @returns the ratio with its confidence interval, and that of the baseline against itself
 */
export async function ratio(
  name: string,
  target: Target,
  measured: Measured,
  baseline: Measured,
  rounds = 120,
  before?: number,
): Promise<Ratio> {
  const times = { measured: [] as number[], baseline: [] as number[], again: [] as number[] };
  const warmUp = Math.ceil(rounds * (measured.row === undefined ? WARM_UP.batches : WARM_UP.rows));
  for (let round = -warmUp; round < rounds; round++) {
    const order = ORDERS[Math.abs(round) % ORDERS.length] ?? ORDERS[0];
    for (const which of order) {
      // The baseline itself warms up this code.
      if (round < 0 && which === 'again') continue;
      const { row = 1, ...measure } = which === 'measured' ? measured : baseline;
      for (let count = 0; count < row; count++) {
        const nanos = await timeOf(measure);
        if (round >= 0) times[which].push(nanos);
      }
    }
  }
  const noise = bootstrap(times.again, times.baseline);
  const found = ratioOf(name, target, times.measured, times.baseline);
  return { ...found, noise, ...(before === undefined ? {} : { before }) };
}

async function timeOf({ work, repeat = 1 }: Measured): Promise<number> {
  // In a turn of its own, as requests arrive: the targets of WeakRefs (each `Request` makes one) live until a turn ends.
  await setImmediate();
  const started = process.hrtime.bigint();
  for (let count = 0; count < repeat; count++) {
    const outcome = work();
    if (outcome instanceof Promise) await outcome;
  }
  return Number(process.hrtime.bigint() - started) / repeat;
}

/** `again` is the baseline a second time. Every order, because a measurement leaves its garbage to the next one. */
const ORDERS = [
  ['measured', 'baseline', 'again'],
  ['again', 'baseline', 'measured'],
  ['baseline', 'again', 'measured'],
  ['measured', 'again', 'baseline'],
  ['again', 'measured', 'baseline'],
  ['baseline', 'measured', 'again'],
] as const;

/**
 * Computes a ratio from times that were measured in pairs.
 *
 * @param name the text for the report: measured / baseline
 * @param target the maximum of the ratio
 * @param measured the times in nanoseconds, in the order of the rounds
 * @param baseline the times to compare with, in the same order
 * @returns the ratio with its confidence interval
 */
export function ratioOf(
  name: string,
  target: Target,
  measured: readonly number[],
  baseline: readonly number[],
): Ratio {
  const pairs = measured.map((time, index) => time / (baseline[index] ?? Number.NaN));
  return {
    name,
    ratio: median(measured) / median(baseline),
    interval: bootstrap(measured, baseline),
    spread: [quantile(pairs, 0.1), quantile(pairs, 0.9)],
    target,
    micros: { measured: median(measured) / 1000, baseline: median(baseline) / 1000 },
  };
}

const RESAMPLES = 1000;

function bootstrap(measured: readonly number[], baseline: readonly number[]): [number, number] {
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const picked = measured.map(() => Math.floor(Math.random() * measured.length));
    const medianOf = (times: readonly number[]) => median(picked.map((index) => times[index] ?? Number.NaN));
    return medianOf(measured) / medianOf(baseline);
  });
  return [quantile(ratios, 0.025), quantile(ratios, 0.975)];
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export function quantile(numbers: readonly number[], fraction: number): number {
  // It sorts numbers in a tenth of the time of an array with a comparison. Bootstrapping does that thousands of times.
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
