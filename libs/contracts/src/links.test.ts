import { expect, test } from 'vitest'
import { isAppPath } from './links.ts'

test('a link of the app is a path, whatever it holds behind', () => {
  for (const link of ['/', '/pricing', '/dashboard/ai-lab?tab=chat&c=0193', '/dashboard/settings?section=security#top', '/a?to=//b'])
    expect([link, isAppPath(link)]).toEqual([link, true])
})

test('another site, a script and spellings of them are no links of the app', () => {
  for (const link of [
    ...[
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\evil.example',
      '/a//evil.example',
      '/.//evil.example',
      '/..//evil.example',
    ],
    ...['javascript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'https://evil.example', 'evil.example', '', ' /pricing'],
    ...['/\t/evil.example', '/\n/evil.example', '/pri\0cing', '/pri\u007fcing', '/pricing\u0085', '/pricing ', '/../pricing', '/a\\b'],
    ...['/a?x=\r\ny', `/${'a'.repeat(600)}`, null, undefined, 7, ['/pricing']],
  ])
    expect([link, isAppPath(link)]).toEqual([link, false])
})
