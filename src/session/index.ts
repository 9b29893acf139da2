export { createMemoryStore, type MemoryStoreOptions } from './memory.js';
export type { HostConcerns, SessionRead, SessionRecord, SessionStore } from './store.js';
