import { afterEach, beforeEach, vi } from 'vitest';

export const START = Date.UTC(2026, 10, 20, 12);

/**
 * Stops the clock for the tests of a file. Retries then follow at once, because the SDK waits for a random part of its
 * delays.
 *
 * @returns a function that advances the clock by a number of seconds
 */
export function stopClock(): (seconds: number) => void {
  let clock = START;
  beforeEach(() => {
    clock = START;
    vi.spyOn(Date, 'now').mockImplementation(() => clock);
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return (seconds) => {
    clock += seconds * 1000;
  };
}
