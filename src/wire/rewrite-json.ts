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
export function rewriteJson(value: unknown, rewriting: JsonRewriting, name?: string): unknown {
  if (typeof value === 'string') return rewriting.text?.(value, name) ?? value;
  return isContainer(value) ? walk(frameOf(value, name), rewriting).result() : value;
}

/** Does the same as `rewriteJson`, for a value that is known to be an object. */
export function rewriteObject(value: JsonObject, rewriting: JsonRewriting): JsonObject {
  return walk(new ObjectFrame(value), rewriting).result();
}

function walk<F extends Frame>(root: F, rewriting: JsonRewriting): F {
  const stack: Frame[] = [];
  let frame: Frame = root;
  while (true) {
    if (frame.next === frame.size) {
      const parent = stack.pop();
      if (parent === undefined) return root;
      parent.put(frame.result(), rewriting);
      frame = parent;
      continue;
    }
    const inner = frame.current();
    if (typeof inner === 'string') {
      const text = rewriting.text === undefined ? inner : rewriting.text(inner, frame.key());
      if (text === undefined) frame.skip();
      else frame.put(text, rewriting);
    } else if (!isContainer(inner)) {
      frame.put(inner, rewriting);
    } else if (rewriting.drop?.(inner) === true) {
      frame.skip();
    } else {
      stack.push(frame);
      frame = frameOf(inner, frame.key());
    }
  }
}

type JsonObject = Record<string, unknown>;
type Container = readonly unknown[] | JsonObject;

/** The members of one container, up to `next` already rewritten. */
interface Frame {
  readonly size: number;
  readonly next: number;
  key(): string | undefined;
  current(): unknown;
  put(value: unknown, rewriting: JsonRewriting): void;
  skip(): void;
  result(): Container;
}

class ArrayFrame implements Frame {
  next = 0;
  private copy: unknown[] | undefined;

  constructor(
    private readonly source: readonly unknown[],
    private readonly memberName: string | undefined,
  ) {}

  get size(): number {
    return this.source.length;
  }

  key(): string | undefined {
    return this.memberName;
  }

  current(): unknown {
    return this.source[this.next];
  }

  put(value: unknown): void {
    if (value !== this.current()) this.copy ??= this.source.slice(0, this.next);
    this.copy?.push(value);
    this.next++;
  }

  skip(): void {
    this.copy ??= this.source.slice(0, this.next);
    this.next++;
  }

  result(): Container {
    return this.copy ?? this.source;
  }
}

class ObjectFrame implements Frame {
  next = 0;
  private readonly keys: readonly string[];
  private copy: [string, unknown][] | undefined;

  constructor(private readonly source: JsonObject) {
    this.keys = Object.keys(source);
  }

  get size(): number {
    return this.keys.length;
  }

  key(): string {
    return this.keys[this.next] ?? '';
  }

  current(): unknown {
    return this.source[this.key()];
  }

  put(value: unknown, rewriting: JsonRewriting): void {
    const key = this.key();
    const renamed = rewriting.key?.(key) ?? key;
    if (renamed !== key || value !== this.current()) this.copy ??= this.copyOfRewritten();
    this.copy?.push([renamed, value]);
    this.next++;
  }

  skip(): void {
    this.copy ??= this.copyOfRewritten();
    this.next++;
  }

  result(): JsonObject {
    // An assignment to `__proto__` would set the prototype.
    return this.copy === undefined ? this.source : Object.fromEntries(this.copy);
  }

  private copyOfRewritten(): [string, unknown][] {
    return this.keys.slice(0, this.next).map((key) => [key, this.source[key]]);
  }
}

const frameOf = (value: Container, key: string | undefined): Frame =>
  isArray(value) ? new ArrayFrame(value, key) : new ObjectFrame(value);

const isArray = (value: Container): value is readonly unknown[] => Array.isArray(value);

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
