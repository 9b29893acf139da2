import { readdirSync, readFileSync } from 'node:fs';

const DOCS = new URL('../../docs/', import.meta.url);
const titleOf = (file) => /^# (.*)$/m.exec(readFileSync(new URL(file, DOCS), 'utf8'))?.[1];
const linkTo = (file) => `/${file.replace(/\.md$/, '')}`;

/** Returns the guides and the reference in the order of `docs/README.md`, with the pages of findings. */
export function sidebar() {
  const [, ...parts] = readFileSync(new URL('README.md', DOCS), 'utf8').split(/^## /m);
  const groups = parts.map((part) => ({
    text: part.slice(0, part.indexOf('\n')),
    items: [...part.matchAll(/^\| \[([^\]]+)\]\((\S+\.md)\)/gm)].map(([, text, file]) => ({
      text,
      link: linkTo(file),
      ...(file === 'reference/findings.md' && { items: findings(), collapsed: true }),
    })),
  }));
  const rest = ['architecture.md', 'decisions.md'].map((file) => ({
    text: titleOf(file),
    link: linkTo(file),
  }));
  return [...groups, { text: 'The project', items: rest }];
}

function findings() {
  return readdirSync(new URL('reference/findings/', DOCS)).map((name) => {
    const file = `reference/findings/${name}`;
    return { text: titleOf(file)?.replace(/^Findings /, ''), link: linkTo(file) };
  });
}
