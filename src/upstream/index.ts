export { type ChildEnd, ChildTransport, UnreadableLine } from './child-process.js';
export { type IsolatedUpstream, type Isolation, isolateUpstream } from './isolation.js';
export { RecoveringTransport, type RecoveryOptions } from './recovering.js';
export { remoteTransport } from './remote.js';
export type { UpstreamEvent } from './state.js';
export { shareUpstream, type Upstream, type UpstreamServer } from './upstream.js';
export { UpstreamError } from './upstream-error.js';
