import type { Random } from '../random.js';
import { MENTIONED, SLUGS, type Slug, type Thing, thingOf } from './world.js';

/** A name in a text: what it names, and whether in the words of its own server. */
export interface Mention {
  readonly thing: Thing;
  readonly isOwn: boolean;
  /** What stands in the place of the name now. */
  readonly text: string;
}

/** Writes a name so that the oracle finds its place again, whatever stands there then. Servers also know names outside. */
export function mention(random: Random, slug: Slug): string {
  const at = random.below(MENTIONED.length);
  const [kind, own] = MENTIONED[at] ?? MENTIONED[0];
  const of = random.chance(0.7) ? slug : random.pick(SLUGS);
  const isOwn = of === slug && random.chance(0.7);
  return `try ${SLUGS.indexOf(of)}.${at}${isOwn ? 'i' : 'o'} <${isOwn ? own : thingOf(of, kind, own)?.outside}>`;
}

/** Finds all names in a text. */
export function mentionsIn(text: string): readonly Mention[] {
  return [...text.matchAll(/try (\d)\.(\d)([io]) <([^>]*)>/g)].flatMap(([, server, at, form, found = '']) => {
    const [kind, own] = MENTIONED[Number(at)] ?? MENTIONED[0];
    const slug = SLUGS[Number(server)];
    const thing = slug && thingOf(slug, kind, own);
    return thing === undefined ? [] : [{ thing, isOwn: form === 'i', text: found }];
  });
}
