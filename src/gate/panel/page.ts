import { read } from '../../wire/messages.js';
import { APP_MIME_TYPE } from '../request/client-surfaces.js';
import { decided, type Settling } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { clientSurfaces } from '../request/switching.js';
import { PANEL } from '../table/panel-routes.js';
import { PANEL_HTML } from './generated/page.js';

/** How long hosts may keep the page, in milliseconds. It contains no data. */
const PAGE_TTL = 3_600_000;

/** Answers `resources/read` for the page of the panel. It does not exist for clients that show no pages. */
export function readPage(facts: Facts): Settling<Record<string, unknown> | undefined> {
  const isPage = read(facts.request.params, 'uri') === PANEL.page;
  if (!isPage || !clientSurfaces(facts).app) return decided(undefined);
  const _meta = { ui: { csp: {}, prefersBorder: false } };
  const contents = [{ uri: PANEL.page, mimeType: APP_MIME_TYPE, text: PANEL_HTML, _meta }];
  const caching = facts.era === 'modern' ? { ttlMs: PAGE_TTL, cacheScope: 'public' } : {};
  return decided({ contents, ...caching });
}
