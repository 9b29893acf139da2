import { render } from 'preact';
import { readDocument } from './document.js';
import { Playground } from './playground.js';

// `scripts/playground.mjs` writes the documents into the page.
const data: unknown = JSON.parse(document.getElementById('documents')?.textContent ?? '[]');
const [first, ...others] = (Array.isArray(data) ? data : []).map(readDocument);
if (first !== undefined) render(<Playground examples={[first, ...others]} />, document.body);
