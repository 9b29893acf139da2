import { identityOf } from '../../../core/engine/mapping.js';
import { type CountedCatalog, ENCODING } from '../../inputs/token-counter.js';
import { enoughCalls, type UsedTools } from '../../serving/used-tools.js';
import { table } from '../../terminal/layout.js';
import { count, type Paper } from '../../terminal/output.js';
import { partOf } from '../../terminal/quantities.js';

/**
 * Lists the tools of a server that were not called in a period, the most expensive first.
 *
 * @param counted what the server lists
 * @param used what was called
 * @param paper where the text will be written
 * @returns the text, with a line break at its end; below ten calls or seven days it says that they tell nothing yet
 */
export function unusedText(
  [{ tools = [] }, tokensOf]: CountedCatalog,
  used: UsedTools,
  paper: Paper,
): string {
  if (!enoughCalls(used)) {
    const since = used.first === undefined ? '' : ` since ${used.first}`;
    return `Not enough calls yet: ${used.calls}${since}. What was not called tells something after ten calls and seven days through "serve --stdio".\n`;
  }
  const names = new Set(used.names);
  const unused = tools
    .map((tool) => ({ name: identityOf('tools', tool), tokens: tokensOf(tool) }))
    .filter(({ name }) => !names.has(name))
    .sort((a, b) => b.tokens - a.tokens);
  const tokens = unused.reduce((sum, each) => sum + each.tokens, 0);
  const since = used.since > (used.first ?? '') ? used.since : (used.first ?? used.since);
  const title = `${partOf(unused.length, tools.length, 'tool', ['was', 'were'])} not called since ${since}; ${count(tokens)} tokens (${ENCODING})`;
  const rows = unused.map(({ name, tokens: own }) => [name, count(own), ''] as const);
  return `${[paper.paint('bold', title), ...table(rows, paper)].join('\n')}\n`;
}
