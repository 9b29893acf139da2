/**
 * The base class of every error that this package throws. Each subclass has a `code` that programs can compare and,
 * where another error caused it, keeps that error as `cause`. `docs/reference/errors.md` lists every code.
 *
 * @example
 * try {
 *   loadPolicy('policy.yaml');
 * } catch (error) {
 *   if (error instanceof ConcernsError) console.error(error.code, error.message);
 * }
 */
export abstract class ConcernsError extends Error {
  abstract readonly code: string;
}
