import type { Panel } from '../panel/panel.js';
import type { Implementation } from '../request/facts.js';

/** A connection whose client has initialized it, for a page with switches. */
export interface InitializedConnection {
  /** What the page shows, and how it changes it. */
  readonly panel: Panel;
  readonly client: Implementation;
}

/** Is told what a page with switches shows. */
export interface ConnectionObserver {
  /** What the client is shown may have changed. */
  changed(): void;
  /** The client listed. */
  listed(): void;
  closed(): void;
}
