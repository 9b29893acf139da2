import { ACCESS_METHODS, read } from '../../wire/messages.js';
import { APP_MIME_TYPE } from '../request/client-surfaces.js';
import { decided, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { clientSurfaces } from '../request/switching.js';
import { panelNames } from '../table/routes.js';
import { PANEL_HTML } from './generated/page.js';

/** How long hosts may keep the page, in milliseconds. It contains no data. */
const PAGE_TTL = 3_600_000;

/** Answers `resources/read` for the page of the panel. It does not exist for clients that show no pages. */
export function readPage(facts: Facts): ResponseSteps<Record<string, unknown> | undefined> {
  const { page, tool } = panelNames(facts.policy.settings);
  const { method, params } = facts.request;
  // Other methods name a page too: it does not change, so nobody can subscribe to it.
  const isRead = method === ACCESS_METHODS.read && read(params, 'uri') === page;
  if (!isRead || !clientSurfaces(facts).app) return decided(undefined);
  // The page calls tools by this prefix.
  const text = PANEL_HTML.replace('<html ', `<html data-prefix="${tool}" `);
  const _meta = { ui: { csp: {}, prefersBorder: false } };
  const contents = [{ uri: page, mimeType: APP_MIME_TYPE, text, _meta }];
  const caching = facts.era === 'modern' ? { ttlMs: PAGE_TTL, cacheScope: 'public' } : {};
  return decided({ contents, ...caching });
}
