export type { UpstreamServer } from '../http/upstream-server.js';

export { type ChildEnd, ChildTransport, UnreadableLine } from './child-process.js';
export type { Protocol } from './eras/era.js';
export { inProcessTransport } from './in-process.js';
export { type IsolatedUpstream, isolateUpstream, type ServerContext, shareUpstream } from './isolation.js';
export type { RecoveryOptions } from './recovery.js';
export { remoteTransport } from './remote.js';
export { isolateSeveral, type OneOfSeveral } from './several/bridge-several.js';
export type { UpstreamEvent } from './state.js';
export type { Isolation, UpstreamOptions } from './upstream.js';
export { UpstreamError } from './upstream-error.js';
