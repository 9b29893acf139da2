import type { Concern } from '../../engine/policy.js';
import { CLIENT_CAPABILITIES_META, read } from '../../wire/messages.js';
import { panelMode } from '../table/routes.js';
import { type ClientSurfaces, surfacesOf } from './client-surfaces.js';
import type { Facts, RequestFacts } from './facts.js';
import { recordOf } from './kept-preferences.js';

/** Returns how the client of a request can ask its person. The exchange must have its configuration. */
export function clientSurfaces({
  era,
  request,
  kept: { session },
}: Pick<Facts, 'era' | 'request' | 'kept'>): ClientSurfaces {
  if (era === 'modern') return surfacesOf(read(request.params, '_meta', CLIENT_CAPABILITIES_META));
  return recordOf(session).panel ?? { app: false, form: false };
}

/**
 * Returns the concerns that the model of a request may change with the tool `concerns`. What it sets is kept in the
 * session, which only the legacy era has: the preferences of a caller are the person's own.
 */
export function openToModel(facts: RequestFacts): readonly Concern[] {
  if (!canSwitch(facts) || !facts.keeps.session) return [];
  return facts.policy.concerns.filter(({ setBy, model = 'none' }) => setBy === 'host' && model !== 'none');
}

/** Returns whether a person can switch with this request: there is a place to keep what they choose. */
export function canSwitch(facts: RequestFacts): boolean {
  return panelMode(facts.policy.settings) === 'on' && canKeep(facts);
}

/** Returns whether a client is offered the tool `concerns`: where it can change something, or where it is only to tell. */
export const offersTool = (facts: RequestFacts): boolean =>
  panelMode(facts.policy.settings) === 'read-only' || canSwitch(facts);

/** Returns whether prompts and forms may show more. Hosts give them to the person, but a hook can answer a form. */
export const mayWiden = ({ policy }: RequestFacts): boolean => policy.settings.panel !== 'narrow';

/** Returns whether there is a place to keep preferences: the caller's, or that of a session, which only the legacy era has. */
export function canKeep({ keeps }: Pick<RequestFacts, 'keeps'>): boolean {
  return keeps.caller || keeps.session;
}
