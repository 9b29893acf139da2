import { sortedJson } from '../engine/pins.js';
import { sha256Of } from '../sha256.js';
import { read } from '../wire/messages.js';

/** The fields of a log line that a decision consists of. `durationMs` and the like are different each time. */
const FIELDS = [
  'policy',
  'mcp.method.name',
  'gen_ai.tool.name',
  'gen_ai.prompt.name',
  'mcp.resource.uri',
  'concerns',
  'sources',
  'shown',
  'total',
  'hidden',
  'effect',
  'reason',
] as const;

/**
 * Computes the id of the decision in a log line. Lines with the same id tell the same decision: the same policy, the same
 * values in effect, the same outcome for the same reason.
 *
 * @param line the fields of the line
 * @returns 16 hexadecimal digits
 * @example
 * decisionIdOf({ policy: '…', 'mcp.method.name': 'tools/list', concerns: {}, shown: 7, total: 24 });
 */
export function decisionIdOf(line: object): string {
  const model = read(line, 'model');
  const told = [
    ...FIELDS.map((name) => read(line, name)),
    // Left out where there is nothing to tell, so that the ids of earlier lines stay the same.
    ...(model === undefined ? [] : [model]),
  ];
  // Sorted, because a log service may sort the members of an object.
  return sha256Of(sortedJson(told) ?? '').slice(0, 16);
}
