/** An error that the caller can fix. Its message says how. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}
