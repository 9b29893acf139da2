import type { Configuration } from '../../engine/configuration.js';
import type { Request } from '../../wire/messages.js';
import type { Substitute } from './facts.js';

/** What decides which names of a server's own message are hidden: a configuration, and the request that it belongs to. */
export interface View {
  readonly configuration: Configuration;
  readonly request: Request | undefined;
  readonly substitute: Substitute | undefined;
}
