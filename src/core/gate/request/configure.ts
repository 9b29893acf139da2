import {
  type Caller,
  type Configuration,
  type InvalidValue,
  type PreferenceSource,
  resolveConfiguration,
} from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  type Era,
  LISTS,
  type Request,
  read,
} from '../../wire/messages.js';
import { whenKnown } from '../../wire/serial-queue.js';
import { panelMode } from '../table/routes.js';
import { keptClient, readStored, recordOf, type Sent, type StoredPreferences } from './kept-preferences.js';
import { NO_WARNINGS, warnOfOtherServers } from './name-filters.js';
import { concernsOfCapabilities, type HttpRequestInfo, readPreferenceSources } from './preference-sources.js';

/** Who sent a message, as far as the transport knows. */
export interface Sender {
  readonly http?: HttpRequestInfo | undefined;
  /** Verified claims of the caller: the only source of values for operator concerns. */
  readonly claims?: ReadonlyMap<string, unknown> | undefined;
  /** The scopes that the verifier of the token found. */
  readonly scopes?: readonly string[] | undefined;
  /** What the transport told about the message. The server gets it with the message. */
  readonly extra: unknown;
}

/** What a configuration is resolved from, besides the session. */
export interface Configurable {
  readonly policy: Policy;
  readonly request: Request;
  readonly era: Era;
  readonly sender: Sender;
}

/**
 * Resolves the configuration of a request from all preference sources. A modern request (2026-07-28) carries its
 * client's capabilities, and no session is read for it: one request must not change the lists that another one gets. Only
 * what a person chose as a verified caller lasts there, if the operator turned that on.
 *
 * @param exchange the policy, the request, and who sent it
 * @param kept what is kept for the sender
 * @param options whether the request's own `_meta` counts
 * @returns the configuration, with the warnings about all sources
 * @example
 * configure({ policy, request, era: 'legacy', sender }, { session: { state: 'unknown' }, principal: undefined }, { meta: true });
 */
export function configure(
  exchange: Configurable,
  kept: StoredPreferences,
  { meta }: { readonly meta: boolean },
): Configuration {
  const { policy, request, sender } = exchange;
  const modern = exchange.era === 'modern';
  const record = recordOf(kept.session);
  const caller = callerOf(exchange, kept);
  const own: PreferenceSource = modern
    ? {
        from: 'capabilities',
        concerns: concernsOfCapabilities(caller.capabilities),
      }
    : { from: 'session', concerns: record.concerns, wereAccepted: true };
  const chosen = recordOf(kept.principal).concerns;
  const principal: PreferenceSource = { from: 'principal', concerns: chosen, wereAccepted: true };
  // Without the tool with which a model and a person can undo them, the values of the model do not apply.
  const applies = panelMode(policy.settings) === 'on';
  const model: PreferenceSource = { from: 'model', concerns: applies ? record.model : undefined };
  // Only what a request says about itself is stronger than what the model set. What a client sends when it connects is the
  // same each time: what a person chose later is stronger.
  const strongestFirst = !modern && record.acted === true ? [model, own, principal] : [model, principal, own];
  const found = readPreferenceSources(meta ? request : undefined, strongestFirst, sender.http);
  const configuration = withMalformed(resolveConfiguration(policy, found.sources, caller), found.malformed);
  const remembered = modern ? NO_WARNINGS : (record.warnings ?? NO_WARNINGS);
  // They are about the list of tools, so a call does not repeat them.
  const more = request.method === LISTS.tools.method ? warnOfOtherServers(policy, sender.http) : NO_WARNINGS;
  if (remembered.length + found.warnings.length + more.length === 0) return configuration;
  const warnings = [...remembered, ...found.warnings, ...more, ...configuration.warnings];
  return { ...configuration, warnings };
}

/** What cannot be read at all is as wrong as a value that the policy does not have. */
function withMalformed(configuration: Configuration, malformed: readonly InvalidValue[]): Configuration {
  if (malformed.length === 0 || configuration.policy.settings.invalid !== 'error') return configuration;
  return { ...configuration, invalid: [...malformed, ...configuration.invalid] };
}

/**
 * Returns what is known about the caller of a request, besides its preferences.
 *
 * @param exchange the policy, the request, and who sent it
 * @param kept what is kept for the sender
 * @returns its claims, what its client says about itself, and the era of the request
 * @example
 * callerOf({ policy, request, era: 'legacy', sender }, { session: { state: 'unknown' }, principal: undefined }).era; // 'legacy'
 */
export function callerOf(
  { policy, request, era, sender }: Configurable,
  { session, principal, areLost }: StoredPreferences,
): Caller {
  const meta = read(request.params, '_meta');
  const { capabilities, client } =
    era === 'modern'
      ? { capabilities: read(meta, CLIENT_CAPABILITIES_META), client: read(meta, CLIENT_INFO_META) }
      : keptClient(policy, recordOf(session));
  // Preferences that expired with their session, or were not read, must not show what they used to hide.
  const isUnknown = (era === 'legacy' && session.state !== 'live') || principal?.state === 'unknown';
  const forgotten = isUnknown && (areLost === true || policy.settings.enforcement === 'enforce');
  return { claims: sender.claims, scopes: sender.scopes, capabilities, client, era, forgotten };
}

/**
 * Returns the configuration of a connection's session, without the `_meta` of any single request; a promise if the session
 * store must be waited for. A modern client has no session, so what its request says counts.
 */
export function sessionConfiguration(exchange: Configurable & Sent): Configuration | Promise<Configuration> {
  const meta = exchange.era === 'modern';
  return whenKnown(readStored(exchange), (kept) => configure(exchange, kept, { meta }));
}

/**
 * Returns whether a list can differ from the server's own under this configuration, or has definitions to compare with the
 * pinned ones. If not, nothing can be hidden, and the server's answer is passed on byte for byte.
 */
export function canChange({ policy, active }: Configuration): boolean {
  const { rules, settings, pins, presented } = policy;
  return (
    active ||
    pins !== undefined ||
    presented.size > 0 ||
    policy.isAboutArguments ||
    rules.length > 0 ||
    settings.unmapped === 'hide' ||
    settings.transparency
  );
}

/** Returns whether answers to a request are looked at for what is hidden: something can be, and is enforced. */
export const isRedacted = (of: {
  readonly isEnforced: boolean;
  readonly configuration: Configuration;
}): boolean => of.isEnforced && canChange(of.configuration);

/** Returns whether a configuration can leave something out of an answer. */
export const canHide = (configuration: Configuration): boolean =>
  canChange(configuration) && configuration.policy.settings.enforcement !== 'shadow';

/**
 * Forbids caching of a modern list.
 *
 * @returns the result with `ttlMs: 0` and `cacheScope: "private"`; the same object in the legacy era
 */
export function unshared(era: Era, result: Record<string, unknown>): Record<string, unknown> {
  if (era === 'legacy' || (result.ttlMs === 0 && result.cacheScope === 'private')) return result;
  return { ...result, ttlMs: 0, cacheScope: 'private' };
}
