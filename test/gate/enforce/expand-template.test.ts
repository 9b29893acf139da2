import { describe, expect, it } from 'vitest';
import { expandTemplate } from '../../../src/core/gate/enforce/expand-template.js';

/** The variables of RFC 6570, section 3.2, and some more. */
const VALUES: Readonly<Record<string, string>> = {
  var: 'value',
  hello: 'Hello World!',
  path: '/foo/bar',
  empty: '',
  x: '1024',
  y: '768',
  half: '50%',
  base: 'http://example.com/home/',
  signs: "!'()*",
  escaped: 'a%2Fb%2g%',
  letters: '%5A%zz',
};
const expand = (template: string): readonly string[] =>
  expandTemplate(template, (name) => (Object.hasOwn(VALUES, name) ? VALUES[name] : undefined));

describe('expanding a template', () => {
  // RFC 6570, sections 1.2 and 3.2. Those with more variables are ours.
  it.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{+path}/here', '/foo/bar/here'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['O{+empty}X', 'OX'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['{#path,x}here', '#/foo/bar,1024here'],
    ['map?{x,y}', 'map?1024,768'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['X{.var}', 'X.value'],
    ['X{.x,y}', 'X.1024.768'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{var*}', 'value'],
    ['{/var*}', '/value'],
    ['{?x,undef}', '?x=1024'],
    ['{x,undef,y}', '1024,768'],
    ['{signs}', '%21%27%28%29%2A'],
    ['{+signs}', "!'()*"],
    ['{escaped}', 'a%252Fb%252g%25'],
    ['{+escaped}', 'a%2Fb%252g%25'],
    ['{+letters}', '%5A%25zz'],
    ['{empty}', ''],
    ['{?empty,undef}', '?empty='],
    ['{;empty}', ';empty'],
    ['{var:0}{var:9999}', 'value'],
    ['{var:00003}', '{var:00003}'],
    ['{var:}{var:x}', '{var:}{var:x}'],
    ['{;var:3}', ';var=val'],
    ['{x:2,y*,var}', '10,768,value'],
  ])('%s gives %s', (template, expected) => {
    expect(expand(template)[0]).toBe(expected);
  });

  it('also gives the URI with values as they are', () => {
    expect(expand('r://{path}')).toEqual(['r://%2Ffoo%2Fbar', 'r:///foo/bar']);
    expect(expand('r://{var}')).toEqual(['r://value']);
  });

  it('keeps expressions that require a value, and removes the others', () => {
    expect(expand('r://{undef}/{var}/{+rest}{?q}{&r}{#s}{/t}{.u}{;v}')).toEqual([
      'r://{undef}/value/{+rest}',
    ]);
  });

  it('keeps what is not a template expression', () => {
    expect(expand('r://{=var}/{}/{var')).toEqual(['r://{=var}/{}/{var']);
  });

  it('encodes any string', () => {
    expect(expandTemplate('{a}', () => 'é😀\ud800')).toEqual(['%C3%A9%F0%9F%98%80%EF%BF%BD', 'é😀\ud800']);
    expect(expandTemplate('{a:2}', () => '😀😀😀')[1]).toBe('😀😀');
  });
});
