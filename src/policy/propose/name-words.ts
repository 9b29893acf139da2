/** What the calls of a tool may do, from harmless to harmful. */
export const EFFECTS = ['read-only', 'changes', 'destroys'] as const;
export type Effect = (typeof EFFECTS)[number];

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const READS = words(
  'analyze browse calculate check compare count describe diff discover download echo estimate explain export fetch ' +
    'find get health help inspect list lookup ping preview query read recommend search select show stat status ' +
    'suggest summarize tail trace validate verify view wait watch whoami',
);
const CHANGES = words(
  'accept add annotate append apply approve archive assign attach backup block bulk cancel clone close ' +
    'commit compress configure confirm connect convert copy create decrypt derive disable dismiss duplicate ' +
    'edit enable encrypt enqueue fill fork generate import increment init insert install invite join ' +
    'leave link lock log login logout manage mark merge move mute navigate notify open pause pin play post process ' +
    'promote publish push put react register rename reopen reply request resolve restart resume retry rotate save ' +
    'schedule send set share sign star start stop store submit subscribe sync tag toggle track transfer trigger ' +
    'type unarchive unassign unblock unlink unlock unpin unresolve unstar unsubscribe update upload upsert upvote ' +
    'write',
);
const DESTROYS = words(
  'clean clear delete destroy discard drop empty erase eval evaluate exec execute expire flush force kill overwrite ' +
    'prune purge remove reset restore revoke rollback run shred terminate truncate uninstall wipe',
);

/**
 * Splits the name of a tool into words. It understands camelCase, snake_case, kebab-case and mixtures of them.
 *
 * @param name the name of a tool
 * @returns the words in lower case
 * @example
 * wordsOf('browser_cookieList'); // ['browser', 'cookie', 'list']
 */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/**
 * Guesses the effect of a tool from its name. The first word decides if it is a known verb, else the last known verb.
 *
 * @param name the name of a tool
 * @returns the effect, or `undefined` if the name has no known verb
 * @example
 * effectOfName('delete_branch'); // 'destroys'
 */
export function effectOfName(name: string): Effect | undefined {
  const all = wordsOf(name);
  const first = effectOfWord(all[0]);
  if (first !== undefined) return first;
  return all
    .slice(1)
    .map(effectOfWord)
    .findLast((effect) => effect !== undefined);
}

function effectOfWord(word = ''): Effect | undefined {
  if (READS.has(word)) return 'read-only';
  if (DESTROYS.has(word)) return 'destroys';
  return CHANGES.has(word) ? 'changes' : undefined;
}

/**
 * Finds the subject of a tool in its name.
 *
 * @param all the words of the name, from `wordsOf`
 * @returns the words without the verb and without words such as "the", in the singular
 * @example
 * nounsOf(['list', 'pull', 'requests']); // ['pull', 'request']
 */
export function nounsOf(all: readonly string[]): string[] {
  const isVerb = (word: string | undefined) => effectOfWord(word) !== undefined;
  const nouns = isVerb(all[0]) ? all.slice(1) : isVerb(all.at(-1)) ? all.slice(0, -1) : all;
  return nouns.filter((word) => !STOP_WORDS.has(word)).map(singular);
}

const STOP_WORDS = words('a all an and as at by for from id in into of on or the to with');

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^siu]s$/.test(word) ? word.slice(0, -1) : word;
}
