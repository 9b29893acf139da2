import { render } from 'preact';
import { takeKey } from '../page/sources/page-key.js';
import { readDocument } from './document.js';
import { Playground } from './playground.js';
import { readSavedFiles } from './saved-files.js';

const key = location.protocol === 'http:' ? takeKey() : '';
if (key !== '') {
  // `mcp-concerns open --policy` serves the page.
  readSavedFiles(key).then(
    ({ document: own, save }) => render(<Playground examples={[own]} save={save} />, document.body),
    (cause: Error) => render(<p class="notice bad">{cause.message}</p>, document.body),
  );
} else {
  // `mcp-concerns open` and the static build write the documents into the page.
  const data: unknown = JSON.parse(document.getElementById('documents')?.textContent ?? '[]');
  const [first, ...others] = (Array.isArray(data) ? data : []).map(readDocument);
  if (first !== undefined) render(<Playground examples={[first, ...others]} />, document.body);
}
