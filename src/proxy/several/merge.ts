import { CAPABILITIES, type Members, membersOf } from '../../core/wire/messages.js';

/** The answer of one server to `initialize` or `server/discover`, or why there is none. */
export type Introduction = Members | string;

/** Why a server is missing that has not answered yet. */
export const STARTING = 'it is still starting';

/** What a host must be told in advance, because it never asks for other capabilities later. */
const LATER = [...CAPABILITIES, 'completions', 'logging'];

/**
 * Joins what several servers say of themselves.
 *
 * @param slugs the names of the servers, in the order of the file
 * @param introductions what each says
 * @returns the members that answers of both eras have
 */
export function mergeIntroductions(
  slugs: readonly string[],
  introductions: readonly Introduction[],
): Members {
  const known = introductions.filter((each) => typeof each !== 'string');
  const capabilities: Members = {};
  for (const about of known) {
    for (const [name, value] of Object.entries(membersOf(about.capabilities)))
      capabilities[name] = { ...membersOf(capabilities[name]), ...membersOf(value) };
  }
  if (known.length < slugs.length) for (const name of LATER) capabilities[name] ??= {};
  for (const name of CAPABILITIES) {
    const declared = capabilities[name];
    if (declared !== undefined) capabilities[name] = { ...membersOf(declared), listChanged: true };
  }
  const instructions = slugs.flatMap((slug, at) => sectionOf(slug, introductions[at])).join('\n\n');
  return { capabilities, ...(instructions === '' ? {} : { instructions }) };
}

/** In characters: what one server says must leave room for the others. */
const MAX_INSTRUCTIONS = 8192;

function sectionOf(slug: string, about: Introduction | undefined): string | [] {
  if (about === STARTING)
    return `The server ${slug} is still starting. Its tools are announced when it is ready.`;
  if (typeof about === 'string') return `The server ${slug} is not available: ${shortened(about)}`;
  const instructions = about?.instructions;
  if (typeof instructions !== 'string' || instructions === '') return [];
  return `## Server ${slug}: the names of its tools begin with ${slug}__\n${shortened(instructions)}`;
}

const shortened = (text: string): string =>
  text.length <= MAX_INSTRUCTIONS ? text : `${text.slice(0, MAX_INSTRUCTIONS)}\n(shortened)`;
