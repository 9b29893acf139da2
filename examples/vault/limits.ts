/**
 * Every bound of the vault in one place: nothing that a client sends can make it grow without end.
 *
 * The text and output bounds keep the worst answer (control characters, escaped twice, as text and as structured
 * content) below the 6 MB that an AWS Lambda function may return.
 */
export const LIMITS = {
  keys: 64,
  keyVersions: 16,
  records: 200,
  recordCharacters: 16_384,
  storedBytes: 524_288,
  labels: 8,
  logEntries: 500,
  logCharacters: 1_000,
  tasks: 100,
  taskSeconds: 3_600,
  textCharacters: 65_536,
  outputBytes: 262_144,
  // Base64 of the longest ciphertext or compressed text that the bounds above allow, with room for its header.
  encodedCharacters: 400_000,
  archiveCharacters: 1_500_000,
} as const;
