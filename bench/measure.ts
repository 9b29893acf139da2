/** The time of one thing as a multiple of another's, taken in alternation within one run. */
export interface Ratio {
  readonly name: string;
  readonly ratio: number;
  /** Where the ratio of the medians lies with 95 % certainty: bootstrapped over the pairs. */
  readonly interval: readonly [number, number];
  /** The middle 80 % of the ratios of pairs. */
  readonly spread: readonly [number, number];
  readonly target: Target;
  readonly micros: { readonly measured: number; readonly baseline: number };
}

/**
 * What a ratio may be at most, or its lower bound where the machine's noise is larger than what is looked for; nothing for
 * numbers that are to be read beside others.
 */
export type Target = number | { readonly lowerBound: number } | undefined;

type Work = () => unknown;

/**
 * Measures one thing against another: pairs in alternation, so that whatever the machine does meets both, medians over
 * all rounds.
 *
 * @param name what is compared with what
 * @param target the ratio that is aimed at
 * @param measured the thing; its work per call may be repeated `repeat` times so that the clock can see it
 * @param baseline what it is compared with
 */
export async function ratio(
  name: string,
  target: Target,
  measured: { readonly work: Work; readonly repeat?: number },
  baseline: { readonly work: Work; readonly repeat?: number },
  rounds = 300,
): Promise<Ratio> {
  const times = { measured: [] as number[], baseline: [] as number[] };
  const warmUp = Math.ceil(rounds / 5);
  for (let round = -warmUp; round < rounds; round++) {
    const order = round % 2 === 0 ? (['measured', 'baseline'] as const) : (['baseline', 'measured'] as const);
    for (const which of order) {
      const { work, repeat = 1 } = which === 'measured' ? measured : baseline;
      const started = process.hrtime.bigint();
      for (let count = 0; count < repeat; count++) {
        const outcome = work();
        if (outcome instanceof Promise) await outcome;
      }
      const nanos = Number(process.hrtime.bigint() - started) / repeat;
      if (round >= 0) times[which].push(nanos);
    }
  }
  return ratioOf(name, target, times.measured, times.baseline);
}

/**
 * @param name what is compared with what
 * @param target what the ratio may be at most
 * @param measured nanoseconds of the thing, in the order of the rounds
 * @param baseline those of what it is compared with
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
    const of = (times: readonly number[]) => median(picked.map((index) => times[index] ?? Number.NaN));
    return of(measured) / of(baseline);
  });
  return [quantile(ratios, 0.025), quantile(ratios, 0.975)];
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
