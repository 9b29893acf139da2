export { type Analysis, analyze } from './analyze.js';
export { type ExplainedPart, explainRule } from './explain-rule.js';
export { type ConfigurationChange, smallestChange } from './smallest-change.js';
