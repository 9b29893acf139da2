import { render } from 'preact';
import { readDocument } from './document.js';
import { Playground } from './playground.js';

// `mcp-concerns open` and the static build write the documents into the page.
const data: unknown = JSON.parse(document.getElementById('documents')?.textContent ?? '[]');
const [first, ...others] = (Array.isArray(data) ? data : []).map(readDocument);
if (first !== undefined) render(<Playground examples={[first, ...others]} />, document.body);
