import fc from 'fast-check';

// A mutant that survives goes through every property: as many runs as fit into five seconds are enough to find it.
fc.configureGlobal({ interruptAfterTimeLimit: 5000, markInterruptAsFailure: false });
