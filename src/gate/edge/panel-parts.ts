import type { PanelPart, PanelPartName } from '../request/needs.js';

/** The decisions about primitives of the gate. What they compute with is loaded when it is first needed. */
export const PANEL_PARTS: { readonly [P in PanelPartName]: () => Promise<PanelPart> } = {
  tool: async () => (await import('../panel/tool.js')).callTool,
  pageTool: async () => (await import('../panel/page-tools.js')).callPageTool,
  prompt: async () => (await import('../panel/prompt.js')).getPrompt,
  page: async () => (await import('../panel/page.js')).readPage,
};
