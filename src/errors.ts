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

/**
 * Makes the class that an error class extends, from what its instances are told by.
 *
 * @param name the name of the error class
 * @param code what programs compare
 * @example
 * export class ListenError extends errorClass('ListenError', 'LISTEN_FAILED') {}
 */
export function errorClass<Name extends string, Code extends string>(
  name: Name,
  code: Code,
): new (
  message?: string,
  options?: { readonly cause?: unknown },
) => ConcernsError & { readonly name: Name; readonly code: Code } {
  return class extends ConcernsError {
    override readonly name = name;
    readonly code = code;
  };
}
