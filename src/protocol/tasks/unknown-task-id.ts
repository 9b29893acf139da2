import { randomInt } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEX = '0123456789abcdef';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** With fewer, the id could be that of a task. */
const MIN_RANDOM = 16;
const MAX_LENGTH = 1_000;

/**
 * Makes the id of a task that does not exist, in the form of another id: a server may refuse ids of a foreign form in
 * another way than unknown ids.
 *
 * @param taskId the id whose form the new one has, if it is long enough
 * @example
 * unknownTaskId('0123456789abcdef0123').length; // 20
 */
export function unknownTaskId(taskId: string): string {
  const random = taskId.replace(/[^0-9a-z]/gi, '').length;
  if (UUID.test(taskId) || random < MIN_RANDOM || taskId.length > MAX_LENGTH) return crypto.randomUUID();
  const isHex = /^[^g-z]*$/i.test(taskId);
  // In place of a digit of a hexadecimal id there can be a letter.
  const isUpper = !/[a-z]/.test(taskId);
  return taskId.replace(/[0-9a-z]/gi, (character) => {
    const isDigit = character >= '0' && character <= '9';
    const alphabet = isHex ? HEX : isDigit ? '0123456789' : LETTERS;
    const made = alphabet[randomInt(alphabet.length)] ?? '0';
    return (isDigit ? isUpper : character <= 'Z') ? made.toUpperCase() : made;
  });
}
