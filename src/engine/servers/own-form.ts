import { membersOf, readOwn } from '../expression/evaluate.js';
import type { Primitive } from '../mapping.js';
import { OWN, ownNames, SERVER, serverOf } from './server-meta.js';

/**
 * Returns a primitive as its server lists it: without the name and the members of `_meta` that it has outside.
 *
 * @param primitive the primitive as a list of several servers has it
 * @returns the same object if it is not of one of several servers
 * @example
 * ownForm({ name: 'files__write', _meta }).name; // 'write'
 */
export function ownForm(primitive: Primitive): Primitive {
  const server = serverOf(primitive);
  const own = ownNames(primitive);
  if (typeof server !== 'string' || typeof own !== 'object' || own === null) return primitive;
  const { _meta, ...rest } = primitive;
  const names = 'uriTemplate' in primitive ? { uriTemplate: readOwn(own, 'uri') } : own;
  const members = Object.entries(membersOf(_meta)).filter(([key]) => key !== SERVER && key !== OWN);
  const translated = members.map(([key, each]) => [key, key === 'ui' ? ownPage(each, server) : each]);
  const meta = Object.fromEntries(translated);
  return { ...rest, ...names, ...(members.length === 0 ? {} : { _meta: meta }) };
}

function ownPage(ui: unknown, server: string): unknown {
  const uri = readOwn(ui, 'resourceUri');
  const prefix = `${server}+`;
  if (typeof uri !== 'string' || !uri.startsWith(prefix)) return ui;
  return { ...membersOf(ui), resourceUri: uri.slice(prefix.length) };
}
