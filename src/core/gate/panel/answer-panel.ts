import { type AnswerPanel, decided } from '../request/decision.js';
import type { PanelPart } from '../table/routes.js';
import { readPage } from './page.js';
import { callPageTool } from './page-tools.js';
import { getPrompt } from './prompt.js';
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
