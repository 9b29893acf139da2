/** What the calls of a tool may do, from harmless to harmful. */
export const EFFECTS = ['read-only', 'changes', 'destroys'] as const;
export type Effect = (typeof EFFECTS)[number];

/** Splits a list of words that is written as one text. */
export const wordSet = (...texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.join(' ').split(' '));

/** Verbs that give back something and leave everything as it was. */
const READS = wordSet(
  'aggregate analyze analyse answer ask assess audit autocomplete benchmark blame browse calculate capture categorize check',
  'classify collect compare compute consult count crawl debug decode deduce demonstrate describe detect determine',
  'diagnose diff digest discover display download dump echo encode enumerate estimate evaluate examine expand explain explore',
  'export extract fetch filter find forecast format gather geocode get grep hash health help identify infer inspect',
  'introspect investigate list load locate look lookup map match measure monitor observe parse peek ping plot poll predict preview',
  'print profile provide query rank read recall recommend render report research retrieve return review scan score',
  'scrape screenshot search see select shortlist show snapshot solve sort stat status suggest summarize summarise',
  'tail test think tokenize trace track transform translate validate verify view visualize wait watch whoami',
);

/** Verbs that add or change something. */
const CHANGES = wordSet(
  'accept acknowledge act activate adapt add adjust advance allocate allow alter amend annotate append apply appoint approve',
  'archive arrange assign associate attach authenticate authorize auto backup ban batch begin bind block book boost broadcast bulk buy',
  'call cancel change charge checkin checkout cherry claim click clone close combine comment commit complete compose compress',
  'configure confirm connect contribute convert copy craft create customize deactivate decline decrypt deny deploy deregister derive',
  'detach disable disconnect dismiss dispatch distribute double downgrade draft drag duplicate edit email emit emulate enable encrypt',
  'enhance enqueue enrich enroll ensure enter escalate establish exchange execute extend fill finalize finish fix flag focus',
  'follow forge fork forward generate give grant group handle hide hold hover ignore impersonate implement import improve',
  'increase decrease increment decrement index ingest init initialize initiate inject insert install instantiate integrate',
  'interact invite invoke issue join keep label launch leave like link lock log login logout make manage mark merge',
  'migrate minimize mint modify mount move mute name navigate nominate notify obtain offer onboard open operate optimize',
  'order organize override pair patch pause pay perform persist pick pin place plan play populate post prepare press',
  'prioritize process produce promote propose protect provision publish pull purchase push put queue quit rate react',
  'reactivate rebase rebuild receive reclassify recommit reconnect record redeem redeploy redirect reduce reference refine',
  'refresh refund regenerate register reject release relocate remember remind rename reopen reorder resolve reorganize repair repeat',
  'replace replay reply repost request reschedule resend reserve resize resolve respond restart restore resume retry',
  'retweet rerun rotate save scale schedule scroll seed send serve set setup share shift ship sign simulate snooze spawn split squash',
  'stage star start stash stop store stream strike submit subscribe supply suspend swap swipe switch sync synchronize tag',
  'take tap toggle train transcribe transfer transmit trigger tune turn tweet type unarchive unassign unblock undelete undo',
  'unfollow unhide unlink unlock unmark unmute unpin unprotect unpublish unregister unresolve unshare unstar unsubscribe update',
  'upgrade upload upscale upsert upvote use vote withdraw write zip gzip zoom',
);

/** Verbs after which something is gone, and verbs that run whatever the caller sends. */
const DESTROYS = wordSet(
  'abort clean cleanup clear decommission delete deprovision destroy discard drop empty erase eval evict exec expire',
  'expunge flush force forget kill nuke obliterate overwrite prune purge raze recycle remove reset revert revoke',
  'rm rollback run scrub shell shred shutdown terminate trash truncate undeploy uninstall unset wipe',
);

/** Verbs that are also common nouns. Behind another verb, and before one, they name a thing: `list_comments`, `issue_delete`. */
const NOUNS_TOO = wordSet(
  'answer archive audit backup batch benchmark block book branch bulk call change charge check claim comment commit compute crawl',
  'diff digest display download draft drop email estimate eval exchange exec export extract file filter fix flag force forecast fork format',
  'grant group hash health help import index invite issue label launch link load lock log login map mark match measure',
  'merge monitor name offer order patch pin place plan play plot poll post press preview process produce profile pull',
  'purchase query queue rank rate record reference refund register release replay reply report request research',
  'reserve reset review run scan schedule score screenshot scroll setup share shell shift ship sign snapshot',
  'sort split stage star start stash stat status stop store stream supply switch sync tag test trace track train',
  'trash trigger tweet type use view vote watch zip',
);

/** Verbs that say little by themselves: the thing that they act on decides. */
const WEAK = wordSet(
  'auto batch bulk call do execute handle make manage operate perform process run take trigger start use',
);
/** `run_audit` and `take_screenshot` give back something. */
const RESULTS = wordSet(
  'analysis analyses aggregation audit benchmark check diagnostic diagnostics evaluation forecast inference lint photo picture',
  'report scan screenshot search simulation snapshot test tests',
);
/** `resolve_name` looks something up, and `convert_units` computes something. */
const LOOKED_UP = wordSet(
  'address alias color coordinate coordinates currency date datetime domain host id identifier ids ip name names number path reference',
  'symbol temperature time timestamp timezone unit units uri url urls',
);
/** `execute_sql` and `run_code` do whatever the caller sends. */
const CODE = wordSet(
  'applescript bash cli cmd code command commands cypher eval expression graphql javascript js lua luau mutation powershell python script',
  'scripts shell snippet sql statement statements terminal',
);

/** Verbs that write whatever they act on. Many others also make something up: `generate_chart`. */
const WRITES = wordSet(
  'add alter append approve assign cancel create delete deploy destroy disable edit enable erase grant insert install invite',
  'modify move overwrite publish purge put remove rename replace restart restore revoke save send set submit terminate truncate',
  'uninstall update upload upsert wipe write',
);
/** Verbs that read in one name and write in another: `review_code` and `review_pull_request`. */
const BOTH = wordSet(
  'answer categorize classify collect download provide report review select sort test track transform verify',
);
/** Verbs that carry something out. What it is, and what that does, is not in the name: `execute_task`. */
const CARRIES_OUT = wordSet('execute operate perform run start trigger');
/** Behind a verb that runs something, it says that nothing is written: `Execute a read-only SQL query`. */
const ONLY_READS = 'readonly';

/** The words behind a verb that decide what it does, see `effectOfPhrase`. */
export const isTelling = (word: string): boolean =>
  CODE.has(word) || RESULTS.has(word) || LOOKED_UP.has(word) || word === ONLY_READS;

/** Whether a verb always adds, changes or removes something. */
export const isPlainWrite = (word: string): boolean => WRITES.has(word);

/** Whether a verb carries out something that is written elsewhere. */
export const isCarryingOut = (word: string): boolean => CARRIES_OUT.has(word);

/** Whether a verb can mean both reading and writing. */
export const isBoth = (word: string): boolean => BOTH.has(word);

/** @returns the effect of a verb in its base form, whatever it acts on; `undefined` if it is not a known verb */
export function effectOfVerb(word = ''): Effect | undefined {
  if (DESTROYS.has(word)) return 'destroys';
  if (READS.has(word)) return 'read-only';
  return CHANGES.has(word) ? 'changes' : undefined;
}

/** Whether a verb adds, changes or removes something. */
export const isChange = (word: string): boolean => (effectOfVerb(word) ?? 'read-only') !== 'read-only';

/** @returns the verb that can do the most harm; `undefined` if there is none */
export const mostHarmful = (verbs: readonly string[]): string | undefined =>
  EFFECTS.toReversed().flatMap((effect) => verbs.filter((verb) => effectOfVerb(verb) === effect))[0];

/**
 * Tells what a verb and the words after it do.
 *
 * @param verb a word, in its base form
 * @param object the words after it
 * @returns the effect; `undefined` if the word is not a known verb
 * @example
 * effectOfPhrase('run', ['audit']); // 'read-only'
 */
export function effectOfPhrase(verb: string, object: readonly string[]): Effect | undefined {
  const runs = WEAK.has(verb) || verb === 'evaluate' || verb === 'invoke' || verb === 'send';
  const runsCode =
    (runs && object.some((word) => CODE.has(word))) || (object.includes('query') && isPlainWrite(verb));
  if (runsCode) return object.includes(ONLY_READS) ? 'read-only' : 'destroys';
  if (WEAK.has(verb) && object.some((word) => RESULTS.has(word))) return 'read-only';
  if ((verb === 'resolve' || verb === 'convert') && object.some((word) => LOOKED_UP.has(word)))
    return 'read-only';
  return effectOfVerb(verb);
}

/** Whether a word is a verb and not also a common noun. */
export const isOnlyVerb = (word: string): boolean => effectOfVerb(word) !== undefined && !NOUNS_TOO.has(word);

/** Whether a verb says so little that the description may know better. */
export const isWeakVerb = (word: string): boolean => WEAK.has(word);

/**
 * Finds the base form of a known verb: `Creates`, `created` and `creating` are `create`.
 *
 * @param word a word in lower case
 * @returns the base form; `undefined` if the word is not a form of a known verb
 * @example
 * baseOfVerb('retrieves'); // 'retrieve'
 */
export function baseOfVerb(word: string): string | undefined {
  const stems = [
    word,
    word.replace(/s$/, ''),
    word.replace(/es$/, ''),
    word.replace(/ies$/, 'y'),
    word.replace(/ing$/, ''),
    word.replace(/ing$/, 'e'),
    // running, getting
    word.replace(/([a-z])\1ing$/, '$1'),
  ];
  return stems.find((stem) => effectOfVerb(stem) !== undefined);
}
