import { KEEPS_NUMBERS, parseExact } from '../../src/core/exact-json.js';

/** Numbers that JavaScript writes in another way. */
const TEXTS = '[1.0,9007199254740993,1e400,-0,0.10]';

/** The member of arguments, results and definitions that has them. */
export const inexact = () => ({ exact: parseExact(TEXTS) });

/** Whether a message has other texts in their place. On Node.js 20 they always change, so nothing is compared. */
export const changesNumbers = (text: string): boolean =>
  KEEPS_NUMBERS &&
  text
    .split('"exact":')
    .slice(1)
    .some((rest) => !rest.startsWith(TEXTS));
