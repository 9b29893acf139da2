export { ChildTransport } from './child-process.js';
export { shareUpstream, type Upstream, type UpstreamServer } from './upstream.js';
