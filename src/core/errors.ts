/** The name of the class of an error. Registered, as that of the layers is: see `isOfClass`. */
const CLASS = Symbol.for('mcp-concerns.error');

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

  /**
   * Errors of another copy of this package in the process count too: the command line has one of its own, and runs the tasks of a
   * server module, whose errors are of the copy in its project.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore-start lint/complexity/noThisInStatic: it is the class to the right of `instanceof`, which is a subclass.
    return Function.prototype[Symbol.hasInstance].call(this, value) || isOfClass(this, value);
    // biome-ignore-end lint/complexity/noThisInStatic: as above.
  }
}

/** Whether a value is an error of a class of this name, which `errorClass` made. A subclass of it counts only for itself. */
function isOfClass(type: object, value: unknown): boolean {
  if (!(value instanceof Error) || !(CLASS in value)) return false;
  if (type === ConcernsError) return true;
  const base: object = Object.getPrototypeOf(type);
  return Object.hasOwn(base, CLASS) && value[CLASS] === Reflect.get(base, CLASS);
}

/** The class that an error class extends. Its instances are told by their name and their code. */
export type ErrorClass<Name extends string, Code extends string> = new (
  message?: string,
  options?: { readonly cause?: unknown },
) => ConcernsError & { readonly name: Name; readonly code: Code };

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
): ErrorClass<Name, Code> {
  return class extends ConcernsError {
    static readonly [CLASS] = name;
    override readonly name = name;
    readonly code = code;

    get [CLASS](): Name {
      return name;
    }
  };
}
