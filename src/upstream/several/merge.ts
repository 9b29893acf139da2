import { CAPABILITIES } from '../../wire/messages.js';
import { type Members, membersOf } from '../eras/envelope.js';

/** What one server said of itself, or why it did not. */
export interface Introduction {
  readonly slug: string;
  /** Its answer to `initialize` or `server/discover`. */
  readonly about: Members | undefined;
  /** Why there is no answer. */
  readonly reason: string;
}

/** Why a server is missing that has not answered yet. */
export const STARTING = 'it is still starting';

/** What a host must be told in advance, because it never asks for other capabilities later. */
const LATER = [...CAPABILITIES, 'completions', 'logging'];

/**
 * Joins what several servers say of themselves.
 *
 * @param parts the servers in the order of the file
 * @returns the members that answers of both eras have
 */
export function mergeIntroductions(parts: readonly Introduction[]): Members {
  const known = parts.flatMap(({ about }) => (about === undefined ? [] : [membersOf(about.capabilities)]));
  const capabilities: Members = {};
  for (const declared of known) {
    for (const [name, value] of Object.entries(declared))
      capabilities[name] = { ...membersOf(capabilities[name]), ...membersOf(value) };
  }
  if (known.length < parts.length) for (const name of LATER) capabilities[name] ??= {};
  for (const name of CAPABILITIES) {
    const declared = capabilities[name];
    if (declared !== undefined) capabilities[name] = { ...membersOf(declared), listChanged: true };
  }
  const instructions = parts.flatMap(sectionOf).join('\n\n');
  return { capabilities, ...(instructions === '' ? {} : { instructions }) };
}

function sectionOf({ slug, about, reason }: Introduction): string[] {
  if (reason === STARTING)
    return [`The server ${slug} is still starting. Its tools are announced when it is ready.`];
  if (about === undefined) return [`The server ${slug} is not available: ${reason}`];
  const { instructions } = about;
  if (typeof instructions !== 'string' || instructions === '') return [];
  return [`## Server ${slug}: the names of its tools begin with ${slug}__\n${instructions}`];
}
