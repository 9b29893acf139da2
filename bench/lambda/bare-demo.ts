import { createVaultServer } from '../../examples/vault/server.js';
import { bareHandler } from './bare.js';

export const handler = bareHandler(() => createVaultServer());
