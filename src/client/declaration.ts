import {
  CAPABILITIES,
  type Capability,
  EXTENSION_ID,
  METHODS,
  membersOf,
  read,
} from '../core/wire/messages.js';

/** A concern's values: an ordered list of names, or a range of numbers. */
export type DeclaredValues = readonly string[] | { readonly min: number; readonly max: number };

const MATCHES = ['exact', 'at-least', 'at-most', 'within'] as const;

/** One concern of a server. Members that the declaration leaves out have their default values here. */
export interface DeclaredConcern {
  readonly name: string;
  readonly description?: string;
  readonly values: DeclaredValues;
  /** What the values mean, for the person who chooses one; values without a description are left out. */
  readonly valueDescriptions?: { readonly [value: string]: string };
  readonly default?: string | number;
  readonly match: (typeof MATCHES)[number];
  /** Whether a host may set several values at once. */
  readonly multiple: boolean;
  /** Values of `operator` concerns come from the caller's identity. A host cannot set them. */
  readonly setBy: 'host' | 'operator';
}

/** The concern names and values that a preset sets. */
export type PresetValues = { readonly [concern: string]: unknown };

/** What a server declares, or the reason why there is no declaration. */
export type Declaration =
  | { readonly declared: false; readonly reason: 'not-connected' | 'not-declared' }
  | {
      readonly declared: true;
      readonly concerns: readonly DeclaredConcern[];
      readonly presets: { readonly [name: string]: PresetValues };
      /** The methods of the extension that the server implements on this connection. */
      readonly methods: readonly string[];
      /** The fields of `params.filter` that the lists of each capability support (SEP-2564). */
      readonly filtering: { readonly [C in Capability]?: readonly string[] };
      /** Whether the server implements `updateConcerns`. */
      readonly updatable: boolean;
    };

/**
 * Reads a server's declaration from its capabilities: from the `initialize` result in the legacy era, from the
 * `server/discover` result in the modern era. `getServerCapabilities()` of SDK clients returns both. See
 * docs/reference/wire.md.
 *
 * The declaration is not trusted: entries that are not valid concerns are left out.
 *
 * @param capabilities the server's capabilities; `undefined` if there is no connection
 * @returns the declaration; `declared: false` with a reason if there is none. It never throws.
 * @example
 * const declaration = readDeclaration(client.getServerCapabilities());
 * if (declaration.declared) for (const { name, values } of declaration.concerns) console.log(name, values);
 */
export function readDeclaration(capabilities: unknown): Declaration {
  if (capabilities === undefined) return { declared: false, reason: 'not-connected' };
  const declared = read(capabilities, 'extensions', EXTENSION_ID);
  if (typeof declared !== 'object' || declared === null) return { declared: false, reason: 'not-declared' };
  const methods = strings(read(declared, 'methods'));
  return {
    declared: true,
    concerns: list(read(declared, 'concerns')).flatMap(readConcern),
    presets: Object.fromEntries(
      Object.entries(membersOf(read(declared, 'presets'))).map(([name, values]) => [name, membersOf(values)]),
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
  const descriptions = Object.entries(membersOf(read(entry, 'valueDescriptions'))).filter(
    (described): described is [string, string] => typeof described[1] === 'string',
  );
  return [
    {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      values,
      ...(descriptions.length === 0 ? {} : { valueDescriptions: Object.fromEntries(descriptions) }),
      ...(typeof fallback === 'string' || typeof fallback === 'number' ? { default: fallback } : {}),
      match: MATCHES.find((each) => each === match) ?? defaultMatch(values),
      multiple: read(entry, 'multiple') === true,
      setBy: read(entry, 'setBy') === 'operator' ? 'operator' : 'host',
    },
  ];
}

const defaultMatch = (values: DeclaredValues) => ('min' in values ? 'at-most' : 'exact');

/** Reads the values of a concern. Returns `undefined` if they are neither a list nor a range. */
export function readValues(values: unknown): DeclaredValues | undefined {
  if (Array.isArray(values)) return strings(values);
  const [min, max] = [read(values, 'min'), read(values, 'max')];
  return typeof min === 'number' && typeof max === 'number' ? { min, max } : undefined;
}

/** Returns the items of a list; none if the value is not a list. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const strings = (value: unknown): string[] => list(value).filter((each) => typeof each === 'string');
