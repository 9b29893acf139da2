/** How to rewrite a JSON value. Without a function, that part stays as it is. */
export interface JsonRewriting {
  /**
   * Returns the string in place of a string value, or `undefined` to remove it. `key` is its member name, or the one of the
   * array that contains it.
   */
  text?(text: string, key: string | undefined): string | undefined;
  /** Returns the member name in place of a member name. */
  key?(key: string): string;
  /** Returns whether to remove an object or array from the object or array that contains it. */
  drop?(value: object): boolean;
}

/**
 * Rewrites a JSON value of any depth: the walk has a stack of its own, so that deep values do not overflow the call
 * stack. Only what changes is copied. Member names such as `__proto__` are kept as members.
 *
 * @param value the value; it is not changed
 * @param rewriting the functions to apply
 * @param name the member name of the value, if it has one
 * @returns the rewritten value; the same object if nothing changes
 * @example
 * rewriteJson({ a: ['x'] }, { text: (text) => text.toUpperCase() }); // { a: ['X'] }
 */
export function rewriteJson(value: JsonObject, rewriting: JsonRewriting): JsonObject;
export function rewriteJson(value: unknown, rewriting: JsonRewriting, name?: string): unknown;
export function rewriteJson(value: unknown, rewriting: JsonRewriting, name?: string): unknown {
  if (typeof value === 'string') return rewriting.text?.(value, name) ?? value;
  if (!isContainer(value)) return value;
  const outer: Frame[] = [];
  let frame = frameOf(value, name);
  while (true) {
    const { names, values, next } = frame;
    if (next === values.length) {
      const rewritten = resultOf(frame);
      const container = outer.pop();
      if (container === undefined) return rewritten;
      frame = container;
      put(frame, rewritten, rewriting);
      continue;
    }
    const member = values[next];
    const memberName = names === undefined ? frame.name : names[next];
    if (typeof member === 'string') {
      const text = rewriting.text === undefined ? member : rewriting.text(member, memberName);
      if (text === undefined) skip(frame);
      else put(frame, text, rewriting);
    } else if (!isContainer(member)) {
      put(frame, member, rewriting);
    } else if (rewriting.drop?.(member) === true) {
      skip(frame);
    } else {
      outer.push(frame);
      frame = frameOf(member, memberName);
    }
  }
}

type JsonObject = Record<string, unknown>;
type Container = readonly unknown[] | JsonObject;

/** The members of one container, up to `next` already rewritten. */
interface Frame {
  readonly source: Container;
  /** The member name of an array, which its items have too. */
  readonly name: string | undefined;
  /** The member names of an object. */
  readonly names: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
  /** The rewritten members, as soon as one is not the member of the source. */
  copy: [name: string | undefined, value: unknown][] | undefined;
}

function frameOf(source: Container, name: string | undefined): Frame {
  const names = isArray(source) ? undefined : Object.keys(source);
  const values = isArray(source) ? source : Object.values(source);
  return { source, name, names, values, next: 0, copy: undefined };
}

function put(frame: Frame, value: unknown, rewriting: JsonRewriting): void {
  const name = frame.names?.[frame.next];
  const renamed = name === undefined ? name : (rewriting.key?.(name) ?? name);
  if (renamed !== name || value !== frame.values[frame.next]) frame.copy ??= copyOf(frame);
  frame.copy?.push([renamed, value]);
  frame.next++;
}

function skip(frame: Frame): void {
  frame.copy ??= copyOf(frame);
  frame.next++;
}

const copyOf = ({ names, values, next }: Frame): [string | undefined, unknown][] =>
  values.slice(0, next).map((value, index) => [names?.[index], value]);

function resultOf({ source, copy }: Frame): unknown {
  if (copy === undefined) return source;
  // An assignment to `__proto__` would set the prototype.
  return isArray(source) ? copy.map(([, value]) => value) : Object.fromEntries(copy);
}

const isArray = (value: Container): value is readonly unknown[] => Array.isArray(value);

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
