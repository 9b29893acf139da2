import type { Path, Source } from './read-yaml.js';

/** Something that does not fit a schema, as ajv says it. */
export interface Misfit {
  /** Where in the data, as a JSON pointer. */
  readonly instancePath: string;
  /** Where in the schema, as the fragment of a URI. */
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The name that is meant, where a name does not fit and not what it stands for. */
  readonly propertyName?: string;
}

/** A schema's validator, as `npm run generate` writes it. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly Misfit[] | null;
}

/** Data without what does not fit a schema. */
export interface Fitted {
  readonly data: unknown;
  /** Paths that were taken out, as strings. */
  readonly removed: ReadonlySet<string>;
  /** As `Source.locate`, for paths of `data`, whose lists may have lost items. */
  locate: Source['locate'];
}

/**
 * Takes the parts of a file out that do not fit a schema, so that the rest can be checked in the same run.
 *
 * @param source a file that could be read
 * @param validate the schema's validator
 * @param report told of each misfit, where it is in the file, and what is there
 * @param stays whether a part may stay that only lacks something
 * @returns what is left; no data if the whole has the wrong type
 * @example
 * fitSchema(source, validate, (error, path) => console.log(error.keyword, path)).data;
 */
export function fitSchema(
  source: Source,
  validate: Validator,
  report: (misfit: Misfit, path: Path, data: unknown) => void,
  stays: (path: Path) => boolean,
): Fitted {
  const data: unknown = structuredClone(source.data ?? {});
  const removed = new Set<string>();
  const indexes = new Map<unknown, number[]>();
  const locate: Source['locate'] = (path, what) => {
    let at: unknown = data;
    const original = path.map((step) => {
      const place = indexes.get(at)?.[Number(step)] ?? step;
      at = child(at, step);
      return place;
    });
    return source.locate(original, what);
  };
  // Each round takes the misshapen parts out; a round that finds nothing ends it.
  for (let first = true; !validate(data); first = false) {
    const misshapen = new Map<string, Path>();
    for (const misfit of validate.errors ?? []) {
      // Says the same as the misfit of the name itself, which is there too; the choices, as those of the choice.
      if (misfit.keyword === 'propertyNames' || /\/(anyOf|oneOf)\//.test(misfit.schemaPath)) continue;
      const path = pathOf(misfit);
      if (first) report(misfit, path, follow(data, path));
      if (LACKING.has(misfit.keyword) && stays(path)) removed.add(missingPath(misfit, path));
      else misshapen.set(path.join('/'), path);
    }
    if (misshapen.size === 0) break;
    // From the back, so that the indexes of a list stay right.
    for (const [key, path] of [...misshapen].reverse()) {
      removed.add(key);
      if (!remove(data, path, indexes)) return { data: undefined, removed, locate };
    }
  }
  return { data, removed, locate };
}

const LACKING = new Set(['required', 'anyOf', 'oneOf']);

const missingPath = ({ params }: Misfit, path: Path): string =>
  [...path, String(params.missingProperty ?? '')].join('/');

function pathOf({ instancePath, keyword, params, propertyName }: Misfit): Path {
  const path = stepsOf(instancePath);
  if (keyword === 'additionalProperties') return [...path, String(params.additionalProperty)];
  return propertyName === undefined ? path : [...path, propertyName];
}

/**
 * @param pointer a JSON pointer
 * @returns its steps
 */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * @param data any data
 * @param path a path into it
 * @returns what is there, by own properties alone; undefined where nothing is
 */
export function follow(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(child, data);
}

/** @returns whether there was something to take out; the document itself cannot be */
function remove(data: unknown, path: Path, indexes: Map<unknown, number[]>): boolean {
  const last = path.at(-1);
  if (last === undefined) return false;
  const parent = follow(data, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const original = indexes.get(parent) ?? [...parent.keys()];
    indexes.set(parent, original);
    original.splice(Number(last), 1);
    parent.splice(Number(last), 1);
  } else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last);
  return true;
}

function child(parent: unknown, step: string | number): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, step)
    ? (parent as Record<string | number, unknown>)[step]
    : undefined;
}
