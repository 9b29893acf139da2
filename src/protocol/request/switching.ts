import type { Concern } from '../../engine/policy.js';
import { panelMode } from '../messages/panel-routes.js';
import { CLIENT_CAPABILITIES_META, read } from '../messages/wire.js';
import { type ClientSurfaces, surfacesOf } from './client-surfaces.js';
import type { Exchange } from './exchange.js';

/** Returns how the client of a request can ask its person. The exchange must have its configuration. */
export function clientSurfaces({ era, request, session }: Exchange): ClientSurfaces {
  if (era === 'modern') return surfacesOf(read(request.params, '_meta', CLIENT_CAPABILITIES_META));
  const kept = session.state === 'live' ? session.record.panel : undefined;
  return kept ?? { app: false, form: false };
}

/** Returns the concerns that the model of a request may change with the tool `concerns`, if there is a place to keep that. */
export function openToModel(exchange: Exchange): readonly Concern[] {
  if (!canSwitch(exchange)) return [];
  return exchange.policy.concerns.filter(({ setBy, model = 'none' }) => setBy === 'host' && model !== 'none');
}

/** Returns whether a person can switch with this request: there is a place to keep what they choose. */
export function canSwitch({ policy, era, connection }: Exchange): boolean {
  return panelMode(policy.settings) === 'on' && era === 'legacy' && connection.preferences.place !== 'none';
}
