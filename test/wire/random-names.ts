import { pathToFileURL } from 'node:url';
import {
  insideName,
  isMinted,
  outsideEntry,
  outsideName,
  slugOf,
} from '../../src/core/engine/servers/outside-names.js';

/** Letters that could make two pairs of names the same. */
const LETTERS = 'a_-1./é';
/** Servers that are listed together, in two orders. */
const TOGETHER = 50;

/** The same numbers in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Names random tools of random servers.
 *
 * @param count how many pairs of a server and a tool
 * @returns how many pairs are distinct, how many have the name of another pair, and how many names do not lead back to their
 *   pair, are longer than 48 characters, or change when the servers are listed in another order
 */
export function tryNames(count: number) {
  const random = createRandom(1);
  const word = (longest: number) =>
    Array.from({ length: 1 + random(longest) }, () => LETTERS[random(LETTERS.length)]).join('');
  const pairs = new Map<string, string>();
  let [collisions, wrong] = [0, 0];
  for (let done = 0; done < count; done += TOGETHER) {
    const servers = Array.from({ length: TOGETHER }, () => ({
      slug: slugOf(word(6)),
      own: word(random(20) === 0 ? 60 : 6),
    }));
    const names = servers.map(({ slug, own }) => outsideName(slug, 'tools', own));
    const reordered = [...servers.slice(7).reverse(), ...servers.slice(0, 7)];
    const again = new Set(reordered.map(({ slug, own }) => outsideEntry(slug, 'tools', { name: own }).name));
    for (const [index, { slug, own }] of servers.entries()) {
      const name = names[index] ?? '';
      const uri = outsideName(slug, 'resources', own);
      for (const full of [name, uri]) {
        if ((pairs.get(full) ?? `${slug} ${own}`) !== `${slug} ${own}`) collisions++;
        pairs.set(full, `${slug} ${own}`);
      }
      const back = [insideName('resources', uri), ...(isMinted(name) ? [] : [insideName('tools', name)])];
      if (back.some((each) => each?.slug !== slug || each.own !== own)) wrong++;
      if (!/^[\w-]{1,48}$/.test(name) || !again.has(name)) wrong++;
    }
  }
  return { pairs: pairs.size / 2, collisions, wrong };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const found = tryNames(1_000_000);
  console.log(
    `1,000,000 pairs, ${found.pairs} distinct: ${found.collisions} collisions, ${found.wrong} wrong`,
  );
  process.exitCode = found.collisions + found.wrong === 0 ? 0 : 1;
}
