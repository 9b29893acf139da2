import { membersOf, readOwn } from '../../core/engine/expression/evaluate.js';
import {
  IDENTITY,
  identityOf,
  type Primitive,
  type ServerCatalog,
  tagsOf,
} from '../../core/engine/mapping.js';
import { KINDS, type Kind } from '../../core/engine/policy.js';

/** A value of a concern or of a claim, as a policy or a token writes it. */
export type Value = string | number;

/** Values by name; `null` for no value, also if there is a default. */
export type Values = Readonly<Record<string, Value | readonly Value[] | null>>;

/** A file of the policy. */
export interface PolicyText {
  readonly name: string;
  readonly text: string;
}

/** A catalog as the playground keeps it: what policies can read, and the tokens of each definition. */
export type PlaygroundCatalog = ServerCatalog & {
  readonly instructions?: string;
  /** Whether the tokens were estimated from the length of the definitions. */
  readonly estimated?: boolean;
};

/** Everything that the playground shows: in the page and in a link. */
export interface PlaygroundDocument {
  readonly format: 1;
  readonly server: string;
  /** The files of the policy, which are merged. */
  readonly files: readonly PolicyText[];
  /** The catalog file that an exported test names. */
  readonly catalogFile: string;
  readonly catalog: PlaygroundCatalog;
  /** What the host prefers. */
  readonly preferences: Values;
  /** The values that verified claims of the caller give, by concern; and what rules read of the caller, by path. */
  readonly claims: Values;
}

/** A text that is not a document or a catalog. The message is a sentence for the person. */
export class NotReadable extends Error {}

/** The average number of characters in a token of a definition, measured on the servers of this repository. */
const CHARACTERS_PER_TOKEN = 4.2;
/** A page shows only the first line of a description. */
const MAX_DESCRIPTION = 160;

/**
 * Reduces a catalog to what policies can read, a part of each description, and the tokens. The schemas of inputs are
 * left out: they are most of the size, and nothing in a policy reads them.
 *
 * @param data a catalog file, or any object with lists such as `tools`
 * @returns the catalog
 * @throws {Error} with a sentence for the person, if the data is not a catalog
 * @example
 * readCatalog({ tools: [{ name: 'echo', inputSchema: {}, tokens: 12 }] }); // { tools: [{ name: 'echo', tokens: 12 }] }
 */
export function readCatalog(data: unknown): PlaygroundCatalog {
  const found = KINDS.filter((kind) => readOwn(data, kind) !== undefined);
  if (found.length === 0) {
    throw new NotReadable(`This is not a catalog: it has none of ${KINDS.join(', ')}.`);
  }
  const lists = found.map((kind): [Kind, readonly Primitive[]] => {
    const items = readOwn(data, kind);
    if (!Array.isArray(items)) throw new NotReadable(`This is not a catalog: ${kind} is not a list.`);
    const facts = items.map(factsOf);
    if (facts.every((each) => identityOf(kind, each) !== '')) return [kind, facts];
    throw new NotReadable(`This is not a catalog: an entry of ${kind} has no ${IDENTITY[kind]}.`);
  });
  const tools = [readOwn(data, 'tools') ?? []].flat();
  const isCounted = tools.every((tool) => Number.isInteger(readOwn(tool, 'tokens')));
  const instructions = readOwn(data, 'instructions');
  return {
    ...Object.fromEntries(lists),
    ...(typeof instructions === 'string' ? { instructions } : {}),
    ...(!isCounted || readOwn(data, 'estimated') === true ? { estimated: true } : {}),
  };
}

/** What policies read of a primitive, as it is. */
const KEPT = ['name', 'uri', 'uriTemplate', 'title', 'mimeType', 'annotations', 'execution', '_meta'];

function factsOf(item: unknown): Primitive & { readonly tokens: number } {
  const { description, tokens, ...others } = membersOf(item);
  const kept = KEPT.flatMap((name) => (others[name] === undefined ? [] : [[name, others[name]]]));
  const tags = tagsOf(others);
  const [line = ''] = typeof description === 'string' ? description.trim().split('\n') : [];
  return {
    ...Object.fromEntries(kept),
    ...(line === '' ? {} : { description: line.slice(0, MAX_DESCRIPTION) }),
    ...(Array.isArray(tags) && tags.length > 0 ? { tags } : {}),
    tokens:
      typeof tokens === 'number'
        ? tokens
        : Math.round((JSON.stringify(item)?.length ?? 0) / CHARACTERS_PER_TOKEN),
  };
}

/**
 * Reads a document from a link, or from the page. A link comes from anybody, so every part is checked.
 *
 * @param data the parsed JSON
 * @returns the document
 * @throws {Error} with a sentence for the person, if a part is missing or has another type
 * @example
 * readDocument(JSON.parse(text)).files[0]?.name; // 'policy.yaml'
 */
export function readDocument(data: unknown): PlaygroundDocument {
  const files = readOwn(data, 'files');
  const isFile = (file: unknown): file is PolicyText =>
    typeof readOwn(file, 'name') === 'string' && typeof readOwn(file, 'text') === 'string';
  if (readOwn(data, 'format') !== 1 || !Array.isArray(files) || files.length === 0 || !files.every(isFile)) {
    throw new NotReadable('The link does not contain a policy, or it was cut off.');
  }
  return {
    format: 1,
    server: textOf(readOwn(data, 'server'), 'server'),
    files: files.map(({ name, text }) => ({ name, text })),
    catalogFile: textOf(readOwn(data, 'catalogFile'), 'policy.catalog.json'),
    catalog: readCatalog(readOwn(data, 'catalog')),
    preferences: valuesIn(readOwn(data, 'preferences')),
    claims: valuesIn(readOwn(data, 'claims')),
  };
}

const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

const isValue = (value: unknown): value is Value => typeof value === 'string' || typeof value === 'number';

/** @returns what of some data are values by name */
export function valuesIn(data: unknown): Values {
  const isRight = (value: unknown): value is Values[string] =>
    value === null || isValue(value) || (Array.isArray(value) && value.every(isValue));
  const entries = Object.entries(membersOf(data));
  return Object.fromEntries(entries.filter((each): each is [string, Values[string]] => isRight(each[1])));
}
