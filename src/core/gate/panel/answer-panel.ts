import { ACCESS_METHODS, isMembers, read } from '../../wire/messages.js';
import { APP_MIME_TYPE } from '../request/client-surfaces.js';
import { type AnswerPanel, decided, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { clientSurfaces } from '../request/switching.js';
import { type PanelPart, panelNames } from '../table/routes.js';
import { PANEL_HTML } from './generated/page.js';
import { howToWiden, whyReadOnly } from './how-to-switch.js';
import { switchTo } from './panel.js';
import { getPrompt } from './prompt.js';
import { errorResult, summaryOf, textResult } from './sentence.js';
import { stateOf } from './switches.js';
import { callTool } from './tool.js';

const PARTS: { readonly [P in PanelPart]: AnswerPanel } = {
  tool: callTool,
  pageTool: callPageTool,
  prompt: getPrompt,
  page: readPage,
};

/** Makes the result of a request that names a primitive of the gate. */
export const answerPanel: AnswerPanel = (facts) =>
  facts.route.to === 'panel' ? PARTS[facts.route.part](facts) : decided(undefined);

/** How long hosts may keep the page, in milliseconds. It contains no data. */
const PAGE_TTL = 3_600_000;

/** Answers `resources/read` for the page of the panel. It does not exist for clients that show no pages. */
function readPage(facts: Facts): ResponseSteps<Record<string, unknown> | undefined> {
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

/**
 * Answers a call that the page in a client makes: `concerns_read` and `concerns_update`. Any page of the server can make it,
 * so it may only show less.
 *
 * @param facts the call
 * @returns the result; `undefined` for clients that show no pages, for which these tools do not exist
 */
export function* callPageTool(facts: Facts): ResponseSteps<Record<string, unknown> | undefined> {
  if (!clientSurfaces(facts).app) return undefined;
  const { params } = facts.request;
  if (read(params, 'name') === panelNames(facts.policy.settings).readTool) return yield* describe(facts);
  const readOnly = whyReadOnly(facts);
  if (readOnly !== undefined) return errorResult(readOnly);
  const change = read(params, 'arguments', 'concerns');
  if (!isMembers(change))
    return errorResult('"concerns" must be an object of concern names and values. Nothing changed.');
  const outcome = yield* switchTo(facts, { ...change }, false);
  return outcome.state === 'changed' ? yield* describe(facts) : errorResult(outcome.message);
}

function* describe(facts: Facts): ResponseSteps<Record<string, unknown>> {
  const state = yield* stateOf(facts, howToWiden(facts));
  return { ...textResult(summaryOf(state)), structuredContent: state };
}
