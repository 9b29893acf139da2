import {
  type Configuration,
  describeAccepted,
  describeOrigins,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { Primitive } from '../../engine/mapping.js';
import { onlyNarrows } from '../../engine/narrows.js';
import { type Concern, KINDS, type Kind } from '../../engine/policy.js';
import { ADDED_TOOLS, HIDDEN_TOOLS } from '../../engine/preference-source.js';
import type { Catalog } from '../../engine/select.js';
import { leftOutClause, leftOutIn } from '../../engine/servers/left-out.js';
import { UNAVAILABLE_META } from '../../engine/servers/outside-names.js';
import type { HostConcerns } from '../../session/store.js';
import { EXTENSION_ID, read } from '../../wire/messages.js';
import { notStored } from '../concerns/change-kept.js';
import { replacePreferences } from '../concerns/update-concerns.js';
import { redactDefinitions } from '../enforce/definitions.js';
import { callerOf, configure } from '../request/configure.js';
import { ask, invalidText, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import {
  type Decided,
  type StoredPreferences,
  strongestOf,
  strongestPlace,
  withChange,
  withoutModel,
} from '../request/kept-preferences.js';
import { howToWiden, whyOnlyLook } from './how-to-switch.js';
import type { PanelState } from './panel-document.js';
import { completeChange, type PanelInput, panelState } from './panel-state.js';
import { switchedAfter, switchedBefore } from './switched-tools.js';

/** What the operator of a page adds to the document of one connection. */
export interface PanelSurroundings
  extends Pick<PanelState, 'session' | 'sessions' | 'revision' | 'readOnly'>,
    Pick<PanelInput, 'tokensOf'> {
  /** For a page that can only show less: how a person can show more. */
  readonly advice?: string;
  /** A change that a person could make: the document is the one after it. */
  readonly wanted?: HostConcerns | undefined;
}

/** What became of a change that a person made. */
export type PanelChange =
  | { readonly state: 'changed' }
  /** A sentence for the person. Nothing changed. */
  | { readonly state: 'refused' | 'ended' | 'widens'; readonly message: string }
  /** The store failed. The sentence says what changed. */
  | { readonly state: 'failed'; readonly message: string };

/** The switches of one connection: what a page needs to show them, and to move them. */
export interface Panel {
  /** Computes the document. It lists what the server lists, if no request has done that yet. */
  state(surroundings: PanelSurroundings): Promise<PanelState>;
  /**
   * Makes a change in the name of the host, and announces the lists that changed. With `advice`, which says how a person can
   * show more, the change can only show less; else it `widens`.
   */
  change(change: Readonly<Record<string, unknown>>, advice?: string): Promise<PanelChange>;
}

export const NOTHING_CHANGED = 'Nothing changed.';
export const SESSION_ENDED = 'The session has ended. Reconnect the host.';
const ONLY_NARROWS = 'From here only less can be shown.';

/** Computes what a page shows to the person at the client of a request. */
export function* panelDocument(
  facts: Facts,
  { advice, wanted, ...surroundings }: PanelSurroundings,
): ResponseSteps<PanelState> {
  const kept = yield* ask({ need: 'kept' });
  const own = forPerson(facts, kept, 'all');
  const allows = (change: HostConcerns): boolean => {
    const tools = change[HIDDEN_TOOLS] === null ? {} : switchedBefore(own);
    return narrowsEach(facts, own, { ...valuesAfter(facts, own, change).values, ...tools });
  };
  const planned = wanted === undefined ? undefined : yield* plan(facts, wanted, true);
  const after = typeof planned === 'string' ? undefined : planned;
  const configurationFor = (concerns: HostConcerns, decided: Decided = after?.decided ?? []): Configuration =>
    configurationWith(facts, forPerson(facts, kept, decided), concerns);
  const preferences = after?.concerns ?? preferencesOf(facts, kept);
  const { warnings } = configurationFor(preferences);
  const { settings } = facts.policy;
  const { enforcement, texts } = settings;
  const onlyLook = whyOnlyLook(settings);
  const { catalogs, missing } = yield* catalogsOf(enforcement === 'enforce');
  return panelState({
    ...(onlyLook === undefined ? {} : { readOnly: onlyLook }),
    ...surroundings,
    redact: enforcement === 'enforce' && texts !== 'keep' ? redactDefinitions : undefined,
    ...(advice === undefined ? {} : { onlyNarrows: `${ONLY_NARROWS} ${advice}`, allows }),
    preferences,
    configure: configurationFor,
    catalogs,
    server: facts.connection.server ?? { name: 'MCP server' },
    caller: callerOf(facts, kept),
    warnings: [...warnings.map(({ message }) => message), ...missing],
    ...(missing.length === 0 ? {} : { missing }),
  });
}

/**
 * Makes a change that a person made, and announces the lists that changed.
 *
 * @param facts the request of the client in which the person made it, or one on whose behalf a page makes it
 * @param change values by concern, or a preset
 * @param widens whether the change may also show more
 * @param advice how a person can show more
 */
export function* switchTo(
  facts: Facts,
  change: Readonly<Record<string, unknown>>,
  widens: boolean,
  advice: string = howToWiden(facts),
): ResponseSteps<PanelChange> {
  const onlyLook = whyOnlyLook(facts.policy.settings);
  if (onlyLook !== undefined) return { state: 'refused', message: onlyLook };
  const planned = yield* plan(facts, change, widens);
  if (typeof planned === 'string') return { state: 'refused', message: planned };
  const { kept, update, decided, concerns } = planned;
  if (!widens && !narrowsEach(facts, kept, concerns)) {
    return { state: 'widens', message: `This would show more. ${ONLY_NARROWS} ${advice}` };
  }
  const outcome = yield* replacePreferences(facts, true, update, decided, concerns);
  if (outcome.state === 'ended') return { state: 'ended', message: SESSION_ENDED };
  return outcome.state === 'failed'
    ? { state: 'failed', message: `The preferences ${notStored(outcome)}` }
    : { state: 'changed' };
}

/**
 * Completes a change.
 *
 * @returns the preferences after it, and the concerns that it decides about; a sentence if it is not valid
 */
function* plan(facts: Facts, change: HostConcerns, widens: boolean) {
  // The values of the model must not become the person's own.
  // What is kept is read after the wait for the list: another change must not be undone by this one.
  const isOfTools = change[ADDED_TOOLS] !== undefined || change[HIDDEN_TOOLS] !== undefined;
  const found = isOfTools ? yield* ask({ need: 'whole', kind: 'tools' }) : undefined;
  const catalog = found?.state === 'complete' ? found.list.bound : undefined;
  const now = yield* ask({ need: 'kept' });
  const kept = forPerson(facts, now, 'all');
  const { update, values } = valuesAfter(facts, kept, change);
  const problem = problemOf(update);
  if (problem !== undefined) return problem;
  const changed = change.preset === undefined ? Object.keys(change) : namesOf(facts);
  // What may only narrow leaves what the model narrowed.
  const decided = widens ? changed : changed.filter((name) => namesOf(facts, 'free').includes(name));
  const tools = switchedAfter(switchedBefore(kept), change, widens, catalog, (switched) =>
    configurationWith(facts, forPerson(facts, now, decided), { ...values, ...switched }),
  );
  return typeof tools === 'string' ? tools : { kept, update, decided, concerns: { ...values, ...tools } };
}

/**
 * Completes a change of values, and resolves it without any other source. A value that the policy does not know any more hides
 * until the person decides about its concern, so it stays.
 */
function valuesAfter(facts: Facts, kept: StoredPreferences, change: HostConcerns) {
  const { [ADDED_TOOLS]: _added, [HIDDEN_TOOLS]: _hidden, ...values } = change;
  const before = configure(facts, kept, { meta: false });
  const concerns = completeChange(before, values);
  const update = resolveConfiguration(facts.policy, [{ from: 'update', concerns }]);
  const origins = describeOrigins(before);
  const lost = Object.entries(strongestOf(kept)).filter(
    ([name]) => origins[name] === 'forgotten' && change[name] === undefined && change.preset === undefined,
  );
  return { update, values: { ...describeAccepted(update), ...Object.fromEntries(lost) } };
}

const namesOf = ({ policy }: Facts, open?: Concern['model']): readonly string[] =>
  policy.concerns.filter(({ model }) => open === undefined || model === open).map(({ name }) => name);

/** Returns whether preferences can only hide more, in this session and in other sessions of the caller. */
function narrowsEach(facts: Facts, kept: StoredPreferences, concerns: HostConcerns): boolean {
  const { principal } = kept;
  const other: StoredPreferences = { session: { state: 'live', record: {} }, principal };
  return (principal === undefined ? [kept] : [kept, other]).every((each) => {
    const changed = withChange(each, strongestPlace(each), { concerns });
    return onlyNarrows(configure(facts, each, { meta: false }), configure(facts, changed, { meta: false }));
  });
}

/** What the person prefers: kept for the session or the caller or, in the modern era, sent with the request. */
function preferencesOf({ era, request }: Facts, kept: StoredPreferences): HostConcerns {
  if (era === 'legacy' || strongestPlace(kept) === 'principal') return strongestOf(kept);
  const sent = read(request.params, '_meta', EXTENSION_ID, 'concerns');
  return typeof sent === 'object' && sent !== null ? { ...sent } : {};
}

/**
 * Returns the values that are in effect if the person prefers something else.
 *
 * @param facts a request of the client
 * @param kept what is kept for its sender
 * @param concerns the preferences of the person
 */
function configurationWith(facts: Facts, kept: StoredPreferences, concerns: HostConcerns): Configuration {
  const place = strongestPlace(kept);
  if (facts.era === 'legacy' || place === 'principal') {
    const changed = withChange(kept, place, { concerns });
    // What a modern request states itself is stronger, and the person must see that.
    return configure(facts, changed, { meta: facts.era === 'modern' });
  }
  const { policy, request, era, sender } = facts;
  const _meta = { ...(request.params?._meta as object), [EXTENSION_ID]: { concerns } };
  const changed = { ...request, params: { ...request.params, _meta } };
  return configure({ policy, request: changed, era, sender }, kept, { meta: true });
}

/** Returns what is kept for the sender without the values that a model has set for some concerns. */
const forPerson = ({ policy }: Facts, kept: StoredPreferences, decided: Decided): StoredPreferences =>
  kept.session.state === 'live'
    ? withChange(kept, 'session', withoutModel(policy, kept.session.record, decided))
    : kept;

/**
 * Returns what is wrong with a change, as a sentence; `undefined` if it is accepted as it is.
 *
 * @param update the change, resolved without any other source
 */
export function problemOf(update: Configuration): string | undefined {
  return [
    ...update.invalid.map((each) => invalidText(update.policy, each)),
    ...update.warnings.map(({ message }) => message),
  ][0];
}

/** A list that the server does not have, or that is too long to be kept, is left out. Says what else is missing, and why. */
function* catalogsOf(isEnforced: boolean) {
  const catalogs: { [K in Kind]?: Catalog<Primitive> } = {};
  const missing = new Map<string, string>();
  const leftOut: string[] = [];
  for (const kind of KINDS) {
    const found = yield* ask({ need: 'whole', kind });
    if (found.state !== 'complete') continue;
    catalogs[kind] = found.list.bound;
    const unavailable = read(found.list.rest, '_meta', UNAVAILABLE_META);
    for (const [server, reason] of Object.entries(unavailable ?? {})) {
      // The reason can be a text of the server, which may name something hidden.
      const why = isEnforced || typeof reason !== 'string' ? '' : `: ${reason}`;
      missing.set(server, `The server ${server} is not available${why}.`);
    }
    for (const [server, all] of leftOutIn(read(found.list.rest, '_meta'))) {
      // Nothing tells whether the policy would show them.
      const told = isEnforced ? all.map(({ name: _name, ...where }) => where) : all;
      leftOut.push(`Of the server ${server}, ${leftOutClause(kind, told)}.`);
    }
  }
  return { catalogs, missing: [...missing.values(), ...leftOut] };
}
