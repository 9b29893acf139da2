import { describe, expect, it } from 'vitest';
import { type ClientSurfaces, surfacesOf } from '../../../src/core/gate/request/client-surfaces.js';

const PAGE = 'text/html;profile=mcp-app';
const apps = (mimeTypes: unknown) => ({ extensions: { 'io.modelcontextprotocol/ui': { mimeTypes } } });

describe('how a client can ask its person', () => {
  const NONE = { app: false, form: false };
  const APP = { app: true, form: false };
  const FORM = { app: false, form: true };

  it.each<[unknown, ClientSurfaces]>([
    [undefined, NONE],
    [null, NONE],
    ['elicitation', NONE],
    [{}, NONE],
    [apps([PAGE]), APP],
    [apps(['text/html', PAGE]), APP],
    [apps([]), NONE],
    [apps(['text/html']), NONE],
    [apps(PAGE), NONE],
    [apps({ 0: PAGE, length: 1 }), NONE],
    [apps(undefined), NONE],
    [{ 'io.modelcontextprotocol/ui': { mimeTypes: [PAGE] } }, NONE],
    [{ elicitation: {} }, FORM],
    [{ elicitation: { form: {} } }, FORM],
    [{ elicitation: { form: {}, url: {} } }, FORM],
    [{ elicitation: { url: {} } }, NONE],
    [{ elicitation: null }, NONE],
    [{ elicitation: true }, NONE],
    [{ elicitation: '' }, NONE],
    [
      { elicitation: {}, ...apps([PAGE]) },
      { app: true, form: true },
    ],
  ])('by %j', (capabilities, surfaces) => {
    expect(surfacesOf(capabilities)).toEqual(surfaces);
  });
});
