import type { Finding } from '../language/findings.js';
import { problem } from '../language/problem.js';
import { type ConcernDeclaration, type Declared, reportsIn } from './check-values.js';

/**
 * The characters of preferences, as JSON, that fit into a session id of 1,024. The others are its random part, and what is
 * sealed with the preferences: the time, how the client can switch, and 28 bytes of the seal, all in base64.
 */
const ROOM = 637;

/** No JavaScript number is written longer. */
const NUMBER = 24;

/** Reports concerns whose preferences can be too long for a session id: then only the session store has them. */
export function checkSealed(declared: readonly (readonly [string, Declared])[], findings: Finding[]): void {
  const lengths = declared
    .filter(([, { concern }]) => concern['set-by'] !== 'operator')
    // With a colon, and a comma or a brace.
    .map(([name, at]) => ({ name, at, length: JSON.stringify(name).length + longest(at.concern) + 2 }))
    .sort((one, other) => other.length - one.length);
  const [first] = lengths;
  const length = lengths.reduce((sum, each) => sum + each.length, 1);
  if (first === undefined || length <= ROOM) return;
  const { name, at } = first;
  const found = problem('long-preferences', { length, room: ROOM, name });
  reportsIn(at.file, findings).warn(at.path, found, 'key');
}

/** Returns how many characters of JSON a preference for a concern can have. */
function longest({ values, multiple }: ConcernDeclaration): number {
  if ('min' in values) return NUMBER;
  if (multiple === true) return JSON.stringify(values).length;
  return Math.max('null'.length, ...values.map((value) => JSON.stringify(value).length));
}
