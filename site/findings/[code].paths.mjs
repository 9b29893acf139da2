import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/reference/findings/', import.meta.url);

/** Makes a page of each finding, which is a section in `docs/reference/findings`. Reports and editors link to it. */
export default {
  paths() {
    return readdirSync(FOLDER).flatMap((file) => {
      const [, ...sections] = readFileSync(new URL(file, FOLDER), 'utf8').split(/^## /m);
      return sections.map((section) => {
        const code = section.slice(0, section.indexOf('\n'));
        const rest = `All [findings of this kind](/reference/findings/${file}#${code}), and [all findings](/reference/findings.md).`;
        return { params: { code }, content: `# ${absolute(section, file)}\n${rest}\n` };
      });
    });
  },
};

/** Links that are relative to the page of the section, as links from the root of the site. */
function absolute(section, file) {
  return section.replace(/\]\((?![a-z]+:)([^)\s]+)\)/g, (_link, target) => {
    const { pathname, hash } = new URL(target, `http://site/reference/findings/${file}`);
    return `](${pathname}${hash})`;
  });
}
