import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';

/** The length of the time in an id: milliseconds in hexadecimal. */
const TIME_DIGITS = 12;
/** The last time that has so many digits: the year 10889. */
const MAX_TIME = 2 ** 48 - 1;
const ID = /^[0-9a-f]{44}$/;

/** Makes the id of a task: the time, so that ids are in the order of creation, and 128 random bits, so that nobody can guess one. */
export function newTaskId(now: number): string {
  return timeDigits(now) + bytesToHex(randomBytes(16));
}

/** The beginning of all ids of tasks that were created at a time. */
export function timeDigits(time: number): string {
  return Math.min(Math.max(0, time), MAX_TIME).toString(16).padStart(TIME_DIGITS, '0');
}

/** Whether a value can be the id of a task. */
export function isTaskId(id: unknown): id is string {
  return typeof id === 'string' && ID.test(id);
}
