import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { insideOf } from '../../engine/servers/outside-names.js';
import { getOrMake } from '../../once.js';
import { rewriteJson } from '../../wire/rewrite-json.js';
import { isName } from '../enforce/definitions.js';
import { type FoundName, NameFinder, replaceParts } from '../enforce/name-finder.js';

const known = new WeakMap<readonly Primitive[], readonly Primitive[]>();

/**
 * Translates the names of tools in descriptions, where one of several servers names another tool of its own: a model could
 * not call the tool under that name. Only whole words that cannot be ordinary words, or stand in quotes, are names.
 *
 * @param kind the kind of the list: the name of a resource is a title, and texts name it by its URI
 * @param items what a client is shown of a list
 * @returns the same list, if no description names a tool of its server
 * @example
 * withOutsideNames('tools', tools)[0].description; // 'Like files__read_file, but ...'
 */
export function withOutsideNames(kind: Kind, items: readonly Primitive[]): readonly Primitive[] {
  const [first] = items;
  const isNamed = kind === 'tools' || kind === 'prompts';
  if (!isNamed || first === undefined || insideOf(first) === undefined) return items;
  return getOrMake(known, items, () => translated(kind, items));
}

function translated(kind: Kind, items: readonly Primitive[]): readonly Primitive[] {
  const servers = new Map<string, Map<string, string>>();
  for (const item of items) {
    const inside = insideOf(item);
    if (inside === undefined) continue;
    const names = getOrMake(servers, inside.slug, () => new Map<string, string>());
    names.set(inside.own.normalize('NFC'), identityOf(kind, item));
  }
  const translations = new Map([...servers].map(([slug, names]) => [slug, translation(names)]));
  return items.map((item) => {
    const text = translations.get(insideOf(item)?.slug ?? '');
    if (text === undefined) return item;
    const members = Object.entries(item).map(([member, value]) => [
      member,
      TEXTS.has(member) ? rewriteJson(value, { text }, member) : value,
    ]);
    return Object.fromEntries(members);
  });
}

/** The members of a tool in which it describes itself and its parameters. */
const TEXTS: ReadonlySet<string> = new Set(['description', 'inputSchema']);

function translation(names: ReadonlyMap<string, string>) {
  const finder = new NameFinder(names.keys());
  return (text: string, member: string | undefined): string => {
    if (member !== 'description') return text;
    const found = finder.find(text).filter((each) => isName(each, text) && isWhole(each, text));
    const replace = (given: string, each: FoundName) =>
      replaceParts(given, [each], names.get(each.name) ?? each.name);
    return found.reduceRight(replace, text);
  };
}

/** A part of another name, a path or a URL names no tool. */
const isWhole = ({ start, end }: FoundName, text: string): boolean =>
  !/[\p{L}\p{N}_\-./:@]$/u.test(text.slice(0, start)) &&
  !/^(?:[\p{L}\p{N}_-]|[./:@][\p{L}\p{N}_/])/u.test(text.slice(end));
