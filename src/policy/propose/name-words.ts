/** How far the calls of a tool may go, from harmless to harmful. */
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
 * @param name the name of a tool
 * @returns its words in lower case, however they are put together
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
 * Judges by its name how far a tool goes: by the first word that says what is done, else the last.
 *
 * @param name the name of a tool
 * @returns its effect; nothing if no word of it is known
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
 * @param all the words of a tool's name
 * @returns what it is about: the words without the one that says what is done, in the singular
 * @example
 * nounsOf(['list', 'pull', 'requests']); // ['pull', 'request']
 */
export function nounsOf(all: readonly string[]): string[] {
  const known = (word: string | undefined) => effectOfWord(word) !== undefined;
  const nouns = known(all[0]) ? all.slice(1) : known(all.at(-1)) ? all.slice(0, -1) : all;
  return nouns.filter((word) => !SMALL.has(word)).map(singular);
}

const SMALL = words('a all an and as at by for from id in into of on or the to with');

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && /[^siu]s$/.test(word) ? word.slice(0, -1) : word;
}
