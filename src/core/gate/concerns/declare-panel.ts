import { CAPABILITIES, CLIENT_CAPABILITIES_META, membersOf, read } from '../../wire/messages.js';
import { APP_MIME_TYPE, APPS_EXTENSION, surfacesOf } from '../request/client-surfaces.js';
import type { RequestFacts } from '../request/facts.js';
import { canSwitch, offersTool } from '../request/switching.js';
import { panelMode } from '../table/routes.js';

/**
 * Declares what the gate adds to a server under `settings.panel`: tools and prompts, the page, and, where people can
 * switch, that lists change.
 *
 * @param facts the `initialize` or `server/discover` request
 * @param result the server's result
 * @returns the same object if nothing is added
 * @example
 * declarePanel(facts, { capabilities: {} });
 */
export function declarePanel(facts: RequestFacts, result: Record<string, unknown>): Record<string, unknown> {
  const mode = panelMode(facts.policy.settings);
  if (mode === 'off') return result;
  const { app } = surfacesOf(
    facts.era === 'modern'
      ? read(facts.request.params, '_meta', CLIENT_CAPABILITIES_META)
      : read(facts.request.params, 'capabilities'),
  );
  // Modern clients are told about changes only by `subscriptions/listen`, which endpoints per request do not serve.
  const announces = canSwitch(facts) && facts.era === 'legacy';
  const added: readonly string[] = [
    ...(mode === 'on' ? ['prompts'] : []),
    ...(offersTool(facts) ? ['tools', ...(app ? ['resources'] : [])] : []),
  ];
  const lists = CAPABILITIES.flatMap((name) => {
    const own = read(result, 'capabilities', name);
    if (own === undefined && !added.includes(name)) return [];
    return [[name, { ...membersOf(own), ...(announces ? { listChanged: true } : {}) }]];
  });
  const capabilities = membersOf(result.capabilities);
  const extensions = {
    ...membersOf(read(capabilities, 'extensions')),
    [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] },
  };
  return { ...result, capabilities: { ...capabilities, ...Object.fromEntries(lists), extensions } };
}
