/** Counts the bytes of a value in JSON, which limits are about. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * Finds the first part of a value that JSON would lose or change. `undefined` is allowed for a whole value and for
 * members of objects, where JSON leaves it out.
 *
 * @param value the value to check
 * @returns the path of the part and what it is, such as `.rows[0].at is a Date`; `undefined` if the value is JSON
 * @example
 * jsonProblem({ at: new Date() }); // '.at is a Date'
 */
export function jsonProblem(value: unknown): string | undefined {
  return value === undefined ? undefined : problemAt(value, '', new Set());
}

function problemAt(value: unknown, path: string, parents: Set<object>): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : `${path || 'it'} is ${value}`;
  }
  if (typeof value !== 'object') return `${path || 'it'} is ${describe(value)}`;
  if (parents.has(value)) return `${path || 'it'} contains itself`;
  const prototype = Object.getPrototypeOf(value);
  const isArray = Array.isArray(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) {
    return `${path || 'it'} is ${describe(value)}`;
  }
  parents.add(value);
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !isArray) continue;
    const problem = problemAt(member, isArray ? `${path}[${key}]` : `${path}.${key}`, parents);
    if (problem !== undefined) return problem;
  }
  parents.delete(value);
  return undefined;
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return value === undefined ? 'undefined' : `a ${typeof value}`;
  return `a ${value.constructor?.name ?? 'class instance'}`;
}
