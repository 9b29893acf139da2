import { createHash } from 'node:crypto';
import type { Random } from '../random.js';
import type { Kind, Level } from '../world.js';

export const SLUGS = ['one', 'one-two', 'two'] as const;
export type Slug = (typeof SLUGS)[number];
export const SERVER_META = 'io.github.mcp-concerns/server';

/** Something that one of the servers has. All servers have things of the same names. */
export interface Thing {
  readonly slug: Slug;
  readonly kind: Kind;
  /** What its server calls it: a name, a URI or a URI template. */
  readonly own: string;
  readonly outside: string;
  /** A text that only its server's answers about it contain. */
  readonly secret: string;
}

const LONG = `long-${'x'.repeat(40)}`;
/** The last names of tools look like those of other servers, like those of the gate, or are shortened outside. */
const OWN: Readonly<Record<Kind, readonly string[]>> = {
  tools: ['tool-a', 'tool-b', 'tool-c', 'tool-d', 'two__tool-d', '_odd', 'concerns', `${LONG}1`, `${LONG}2`],
  prompts: ['prompt-a', 'prompt-b', 'one-two__prompt-b', 'concerns'],
  resources: ['r://d/one', 'file:///d/two', 'r://t/listed', 'one+r://d/one', 'https://h.example/d/three'],
  resourceTemplates: ['r://t/{id}', 'file:///v/{id}'],
};

/** What texts name. No such name is a part of another one, and none of a server is that of another outside. */
export const MENTIONED = [
  ['tools', 'tool-a'],
  ['tools', 'tool-b'],
  ['tools', 'tool-c'],
  ['prompts', 'prompt-a'],
  ['resources', 'file:///d/two'],
  ['resourceTemplates', 'file:///v/{id}'],
] as const satisfies readonly (readonly [Kind, string])[];

/** What each server says of its own tools in `_meta.concerns`. */
export const OWN_LEVELS: Readonly<Record<string, Level>> = { 'tool-c': 'high', 'tool-d': 'low', _odd: 'low' };
/** This server has other words for the levels. */
export const MAPPED = 'one-two';
export const wordOf = (slug: Slug, level: Level): string =>
  slug === MAPPED ? { low: 'lo', high: 'hi' }[level] : level;

/** The names outside, as the documentation says. It shares no code with the product. */
function outsideOf(slug: string, kind: Kind, own: string): string {
  if (kind === 'resources' || kind === 'resourceTemplates') return `${slug}+${own}`;
  const full = `${slug}__${own}`;
  if (full.length <= 48 && /^[\w-]+$/.test(own) && !/__[0-9a-f]{8}$/.test(full)) return full;
  return `${full.replace(/[^\w-]+/g, '_').slice(0, 38)}__${createHash('sha256').update(full).digest('hex').slice(0, 8)}`;
}

/** Other forms of URIs, of which a server that parses URIs makes the same URI. Parsers know more of the schemes of the web. */
const FORMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'r://d/one': ['R://d/one', ' r://d/one', 'r://d/x/../one', 'r://d/./one', 'r://d/o\tne'],
  'file:///d/two': [
    'FILE:///d/two',
    'file://localhost/d/two',
    'file:/d/two',
    'file:d/two',
    'file:\\\\\\d\\two',
    'file:///d/x\\..\\two',
    'file:///d/x/../two',
  ],
  'https://h.example/d/three': [
    'https://H.EXAMPLE/d/three',
    'https://h.example:443/d/three',
    'https:h.example/d/three',
    'https:\\\\h.example\\d\\three',
    'https://h%2Eexample/d/three',
    'https://\u24d7.example/d/three',
    '\thttps://h.example/d/three',
    'https://u@h.example/../d/three'.replace('u@', ''),
  ],
};

/** Returns the URI of a resource outside, in another form. */
export const formOf = (random: Random, { slug, own }: Thing): string | undefined =>
  FORMS[own] && `${slug}+${random.pick(FORMS[own])}`;

const thing = (slug: Slug, kind: Kind, own: string, index: number): Thing => ({
  slug,
  kind,
  own,
  outside: outsideOf(slug, kind, own),
  secret: `secret-${slug}-${kind}-${index}-end`,
});

const KINDS: readonly Kind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];
export const THINGS: readonly Thing[] = SLUGS.flatMap((slug) =>
  KINDS.flatMap((kind) => OWN[kind].map((own, index) => thing(slug, kind, own, index))),
);

/** More tools than a page or a person reads. */
export const MANY: readonly Thing[] = Array.from({ length: 10_000 }, (_, index) =>
  thing('two', 'tools', `many-${index}`, 100 + index),
);

export const thingOf = (slug: Slug, kind: Kind, own: string): Thing | undefined =>
  THINGS.find((each) => each.slug === slug && each.kind === kind && each.own === own);

export interface Values {
  readonly level?: Level;
  /** Only callers with a claim see a value of this concern, and no caller of the fuzz has one. */
  readonly tier?: 'pro';
}

/** What the policy of one server says, in its own names. */
export interface Part {
  readonly unmapped: 'show' | 'hide';
  /** By kind and own name. */
  readonly entries: ReadonlyMap<string, Values>;
  readonly patterns: ReadonlyMap<string, Values>;
  /** A tool that a rule hides. */
  readonly hides: string | undefined;
}

/** What all policies say together, as plain data: the oracle reads this, and the gate the policy that is written from it. */
export interface Plan {
  readonly mode: 'enforce' | 'advisory';
  readonly unmapped: 'show' | 'hide';
  readonly panel: 'on' | 'off';
  /** A server without one has the settings of all. */
  readonly parts: ReadonlyMap<Slug, Part>;
  /** By kind and name outside. */
  readonly entries: ReadonlyMap<string, Values>;
  /** Rules over all servers, which read `primitive.server`. */
  readonly rules: readonly { readonly slug: Slug; readonly kinds: readonly Kind[]; readonly name?: string }[];
}

/** Patterns with the kind of what they match. No two match one name. */
export const PATTERNS: Readonly<Record<string, Kind>> = {
  'tool-*': 'tools',
  'long-*': 'tools',
  'prompt-*': 'prompts',
  'r://d/*': 'resources',
  'file:///d/*': 'resources',
  'https://h.example/*': 'resources',
  'r://*': 'resourceTemplates',
};

/** The preferences that are in effect for a request. */
export interface View {
  readonly level: Level | undefined;
  /** The servers that are wanted; `undefined` for all. */
  readonly topic: readonly Slug[] | undefined;
}

/** The oracle: whether a thing fits the preferences, as its server alone would decide, and the rules over all servers. */
export function fits(plan: Plan, each: Thing, { level, topic }: View): boolean {
  const { slug, kind, own, outside } = each;
  if (topic !== undefined && !topic.includes(slug)) return false;
  const hides = plan.rules.some(
    (rule) =>
      rule.slug === slug && rule.kinds.includes(kind) && (rule.name === undefined || rule.name === outside),
  );
  const part = plan.parts.get(slug);
  if (hides || (kind === 'tools' && part?.hides === own)) return false;
  const applied = [...(part?.patterns ?? [])].flatMap(([pattern, values]) =>
    PATTERNS[pattern] === kind && own.startsWith(pattern.slice(0, -1)) ? [values] : [],
  );
  const covering = kind === 'resources' && own.startsWith('r://t/') ? 'resourceTemplates r://t/{id}' : '';
  const entry = entryOf(plan, each) ?? entryOf(plan, each, covering);
  if (entry !== undefined) applied.push(entry);
  const { unmapped } = part ?? plan;
  if (applied.length === 0 && unmapped === 'hide') return false;
  const declared = kind === 'tools' ? OWN_LEVELS[own] : undefined;
  const values: Values = Object.assign({}, declared && { level: declared }, ...applied);
  if (values.tier !== undefined) return false;
  return level === undefined || values.level === undefined || values.level === level;
}

/** What is written for all servers wins over what is written for one. */
function entryOf({ entries, parts }: Plan, { slug, kind, own }: Thing, key = `${kind} ${own}`) {
  const [of = kind, name = ''] = key.split(' ') as [Kind, string];
  return entries.get(`${of} ${outsideOf(slug, of, name)}`) ?? parts.get(slug)?.entries.get(key);
}

export const isAllowed = (plan: Plan, each: Thing, view: View): boolean =>
  plan.mode !== 'enforce' || fits(plan, each, view);

/** Whether an entry of the policy alone says whether a thing is hidden. Own values of the server are only in its lists. */
export const isKnownByEntry = (plan: Plan, each: Thing): boolean =>
  entryOf(plan, each) !== undefined && (each.kind !== 'tools' || OWN_LEVELS[each.own] === undefined);
