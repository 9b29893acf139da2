/**
 * How long tests wait for what must happen, in milliseconds. No test asserts a duration: this only ends a test that hangs, also
 * on a machine that runs ten times slower than usual. A wait ends before its test, so that it says what it waited for.
 */
export const PATIENCE = { test: 180_000, wait: 150_000 };
