import { isMap, isSeq, parseDocument } from 'yaml';

/**
 * Adds to a template of the Serverless Framework what another one has besides. What both have stays as in the first one,
 * with its comments.
 *
 * @param template the text that says how callers reach the function
 * @param added the text with more functions and resources
 * @returns the text of one template
 * @example
 * combineTemplates(readFileSync('serverless.jwt.yml', 'utf8'), readFileSync('serverless.tasks.yml', 'utf8'));
 */
export function combineTemplates(template: string, added: string): string {
  const [document, others] = [parseDocument(template), parseDocument(added)];
  // A second way to the function would be one without the checks of the first.
  others.deleteIn(['functions', 'mcp', 'events']);
  merge(document.contents, others.contents);
  return document.toString({ lineWidth: 0 });
}

function merge(into: unknown, added: unknown): void {
  if (isMap(into) && isMap(added)) {
    for (const pair of added.items) {
      if (into.has(pair.key)) merge(into.get(pair.key, true), pair.value);
      else into.items.push(pair);
    }
  } else if (isSeq(into) && isSeq(added)) {
    const known = into.items.map((item) => JSON.stringify(item));
    for (const item of added.items) {
      const same = into.items.find(
        (each) => isMap(each) && isMap(item) && each.has('Resources') && item.has('Resources'),
      );
      if (same !== undefined) merge(same, item);
      else if (!known.includes(JSON.stringify(item))) into.items.push(item);
    }
  }
}
