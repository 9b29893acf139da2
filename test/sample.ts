/**
 * Returns how many generated inputs a test tries: some of them in `npm test`, which a developer waits for, and all of them in
 * the project `generated` of test/slow.
 */
export const sample = (all: number, some = Math.ceil(all / 4)): number =>
  process.env.GENERATED_INPUTS === 'all' ? all : some;
