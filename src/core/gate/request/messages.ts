import type { ConcernWarning } from '../../engine/configuration.js';

export const UNKNOWN_SESSION: ConcernWarning = {
  code: 'unknown-session',
  message:
    'The session is unknown or expired, so its preferences are lost, and what they could hide is hidden. The host must send them again with updateConcerns, or initialize a new session.',
};

export const NOT_CHECKED =
  'Access to this primitive could not be checked, because the server did not list its primitives. Try again.';

/** Of the -32602 errors about cursors. SEP-2564 specifies the last one. */
export const CURSOR_MESSAGES = {
  malformed: 'The cursor is not valid. List again without a cursor.',
  changed: 'The list changed, so the cursor is not valid any more. List again without a cursor.',
  'filter-changed': 'Filter parameters must not change between paginated requests',
} as const;
