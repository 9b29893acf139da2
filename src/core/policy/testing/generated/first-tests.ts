// Made by "npm run generate" from first-tests.yaml.
export const FILE = "# yaml-language-server: $schema=${schema}\n# These tests record what hosts see under the policy today. Change them to what hosts should see.\npolicy: ${policy}\ncatalog: ${catalog}\n\ntests:\n  - name: a host without preferences sees everything\n    concerns: none\n    ${counts}\n${tests}\n" as const;
