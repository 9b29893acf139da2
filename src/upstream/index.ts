export { type ChildEnd, ChildTransport, UnreadableLine } from './child-process.js';
export { remoteTransport } from './remote.js';
export { shareUpstream, type Upstream, type UpstreamServer } from './upstream.js';
