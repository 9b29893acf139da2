/**
 * Returns how many generated inputs a test tries: a quarter of them in `npm test`, which a developer waits for, and all of
 * them in the project `generated` of test/slow.
 */
export const sample = (all: number): number =>
  process.env.GENERATED_INPUTS === 'all' ? all : Math.ceil(all / 4);
