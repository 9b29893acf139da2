export { ListenError, type LocalEndpoint, type LocalOptions, serveLocally } from './local.js';
