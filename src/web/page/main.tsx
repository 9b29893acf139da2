import { render } from 'preact';
import { App } from './app.js';
import { appSource } from './sources/app.js';
import { httpSource } from './sources/http.js';

// In a host, the page is in a frame and speaks MCP Apps. In a tab, it speaks to the process that served it.
render(<App source={parent === window ? httpSource() : appSource()} />, document.body);
