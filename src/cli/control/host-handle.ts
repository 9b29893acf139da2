import { createHmac, randomBytes } from 'node:crypto';
import { sameSecret } from '../../core/http/same-secret.js';

/** The parameter of an endpoint's URL that has the handle of a host. */
export const HOST_PARAMETER = 'host';

const MAX_NAME = 40;
const MAC_CHARACTERS = 16;

/**
 * Makes the handle of a host, for the URL in its configuration. A host of 2026-07-28 has no session, and what it calls itself says
 * nothing of who it is: only the URL tells two hosts apart. The handle has a name for people, 8 random digits, and a MAC, so
 * that nobody makes up one and has memory kept for it.
 *
 * @param name what people call the host
 * @param key the secret of this user, or of all processes that serve the same hosts
 * @returns letters, digits, `-`, `_` and `.`
 * @example
 * mintHandle('Claude Code', userKey('session-key', process.env)); // 'claude-code.4f9a21c0.…'
 */
export function mintHandle(name: string, key: string): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const slug = words.slice(0, MAX_NAME).replace(/^-|-$/g, '');
  const named = `${slug === '' ? 'host' : slug}.${randomBytes(4).toString('hex')}`;
  return `${named}.${macOf(named, key)}`;
}

/** Whether a handle was made with this key. */
export function isHandle(handle: string, key: string): boolean {
  const [, named, mac] = /^([a-z0-9-]+\.[0-9a-f]{8})\.([\w-]+)$/.exec(handle) ?? [];
  return named !== undefined && mac !== undefined && sameSecret(mac, macOf(named, key));
}

/** @returns the URL of an endpoint for the host with a handle */
export function urlOfHost(url: string, handle: string): string {
  const own = new URL(url);
  own.searchParams.set(HOST_PARAMETER, handle);
  return own.href;
}

/** The key has another use: a text in front keeps the two apart. */
const macOf = (named: string, key: string): string =>
  createHmac('sha256', key).update(`host-handle\0${named}`).digest('base64url').slice(0, MAC_CHARACTERS);
