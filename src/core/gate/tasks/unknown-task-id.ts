const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DECIMAL = '0123456789';
const HEX = `${DECIMAL}abcdef`;
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
  const letters = taskId.replace(/[^a-z]/gi, '');
  const isUpper = letters !== '' && letters === letters.toUpperCase();
  if (UUID.test(taskId)) return isUpper ? crypto.randomUUID().toUpperCase() : crypto.randomUUID();
  const random = taskId.replace(/[^0-9a-z]/gi, '').length;
  if (random < MIN_RANDOM || taskId.length > MAX_LENGTH) return crypto.randomUUID();
  const isHex = letters !== '' && !/[g-z]/i.test(letters);
  const numbers = crypto.getRandomValues(new Uint32Array(taskId.length));
  return taskId.replace(/[0-9a-z]/gi, (character, index: number) => {
    const isDigit = DECIMAL.includes(character);
    const alphabet = isHex ? HEX : isDigit ? DECIMAL : LETTERS;
    const made = alphabet[(numbers[index] ?? 0) % alphabet.length] ?? '0';
    // In the place of a digit of a hexadecimal id there can be a letter.
    return (isDigit ? isUpper : character <= 'Z') ? made.toUpperCase() : made;
  });
}
