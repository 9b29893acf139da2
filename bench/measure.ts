/** The time of one thing as a multiple of another's, taken in alternation within one run. */
export interface Ratio {
  readonly name: string;
  readonly ratio: number;
  /** The middle 80 % of the ratios of pairs. */
  readonly spread: readonly [number, number];
  readonly target: number;
  readonly micros: { readonly measured: number; readonly baseline: number };
}

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
  target: number,
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
  const pairs = times.measured.map((time, index) => time / (times.baseline[index] ?? Number.NaN));
  return {
    name,
    ratio: median(times.measured) / median(times.baseline),
    spread: [quantile(pairs, 0.1), quantile(pairs, 0.9)],
    target,
    micros: { measured: median(times.measured) / 1000, baseline: median(times.baseline) / 1000 },
  };
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
