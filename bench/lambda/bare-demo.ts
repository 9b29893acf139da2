import { createVaultServer } from '../../src/demo/server.js';
import { bareHandler } from './bare.js';

export const handler = bareHandler(() => createVaultServer());
