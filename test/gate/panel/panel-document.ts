import type { PanelState } from '../../../src/core/gate/panel/panel-document.js';

/** A document of a page: one of four tools is shown, and there are no concerns. */
export const panelDocument = (rest: Partial<PanelState> = {}): PanelState => ({
  format: 1,
  revision: 1,
  server: { name: 'test' },
  policy: { enforcement: 'advisory' },
  session: 's',
  sessions: [],
  concerns: [],
  presets: [],
  shown: { tools: 1, tokens: 10 },
  everything: { tools: 4, tokens: 50 },
  total: { tools: 4, tokens: 50 },
  items: [],
  classes: [],
  withheld: 0,
  warnings: [],
  ...rest,
});
