import { CAPABILITIES, type Capability, EXTENSION_ID, METHODS, read } from '../protocol/messages/wire.js';

/** A concern's values: an ordered list of names, or a range of numbers. */
export type DeclaredValues = readonly string[] | { readonly min: number; readonly max: number };

/** One concern of a server, with what the declaration leaves out because it is the usual. */
export interface DeclaredConcern {
  readonly name: string;
  readonly description?: string;
  readonly values: DeclaredValues;
  readonly default?: string | number;
  readonly match: 'exact' | 'at-least' | 'at-most';
  /** Whether a host may ask for several values at once. */
  readonly multiple: boolean;
  /** Values of `operator` concerns come from who the caller is; a host cannot set them. */
  readonly setBy: 'host' | 'operator';
}

/** What a preset stands for: concern names and values. */
export type PresetValues = { readonly [concern: string]: unknown };

/** What a server says of its concerns, or why nothing is known of them. */
export type Declaration =
  | { readonly declared: false; readonly why: 'not-connected' | 'not-declared' }
  | {
      readonly declared: true;
      readonly concerns: readonly DeclaredConcern[];
      readonly presets: { readonly [name: string]: PresetValues };
      /** The methods of the extension that the server answers here. */
      readonly methods: readonly string[];
      /** Fields of `params.filter` that the lists of a capability take (SEP-2564). */
      readonly filtering: { readonly [C in Capability]?: readonly string[] };
      /** Whether `updateConcerns` has a place to keep preferences in, or needs none. */
      readonly updatable: boolean;
    };

/**
 * Reads a server's declaration from its capabilities: of the `initialize` result in the legacy era, of the
 * `server/discover` result in the modern one. SDK clients give out both with `getServerCapabilities()`. See docs/wire.md,
 * "Declaration".
 *
 * What a server declares is not trusted: entries that are no concerns are left out.
 *
 * @param capabilities the server's capabilities; nothing if there is no connection
 * @returns the declaration; `declared: false` where there is none, never an error
 * @example
 * const declaration = readDeclaration(client.getServerCapabilities());
 * if (declaration.declared) for (const { name, values } of declaration.concerns) offer(name, values);
 */
export function readDeclaration(capabilities: unknown): Declaration {
  if (capabilities === undefined) return { declared: false, why: 'not-connected' };
  const declared = read(capabilities, 'extensions', EXTENSION_ID);
  if (typeof declared !== 'object' || declared === null) return { declared: false, why: 'not-declared' };
  const methods = strings(read(declared, 'methods'));
  return {
    declared: true,
    concerns: list(read(declared, 'concerns')).flatMap(readConcern),
    presets: Object.fromEntries(
      Object.entries(object(read(declared, 'presets'))).map(([name, values]) => [name, object(values)]),
    ),
    methods,
    filtering: Object.fromEntries(
      CAPABILITIES.flatMap((name) => {
        const fields = strings(read(declared, 'filtering', name));
        return fields.length === 0 ? [] : [[name, fields]];
      }),
    ),
    updatable: methods.includes(METHODS.updateConcerns),
  };
}

function readConcern(entry: unknown): DeclaredConcern[] {
  const name = read(entry, 'name');
  const values = readValues(read(entry, 'values'));
  if (typeof name !== 'string' || values === undefined) return [];
  const description = read(entry, 'description');
  const fallback = read(entry, 'default');
  const match = read(entry, 'match');
  return [
    {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      values,
      ...(typeof fallback === 'string' || typeof fallback === 'number' ? { default: fallback } : {}),
      match: match === 'exact' || match === 'at-least' || match === 'at-most' ? match : usualMatch(values),
      multiple: read(entry, 'multiple') === true,
      setBy: read(entry, 'setBy') === 'operator' ? 'operator' : 'host',
    },
  ];
}

const usualMatch = (values: DeclaredValues) => ('min' in values ? 'at-most' : 'exact');

function readValues(values: unknown): DeclaredValues | undefined {
  if (Array.isArray(values)) return strings(values);
  const [min, max] = [read(values, 'min'), read(values, 'max')];
  return typeof min === 'number' && typeof max === 'number' ? { min, max } : undefined;
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const strings = (value: unknown): string[] => list(value).filter((each) => typeof each === 'string');

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
