/** The version of the compiled format. It changes when an older version of this package could misread new files. */
export const COMPILED_FORMAT = 1 as const;
